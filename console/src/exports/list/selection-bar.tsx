/** Actions on all selected exports. Results stay in their rows. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../look/button.tsx';
import { exportKeys } from '../query-keys.ts';
import { applyBulk, type BulkAction, type BulkResult } from './bulk.ts';
import type { ListedExport } from './list-data.ts';
import styles from './list.module.css';

type BarProps = {
  projectId: number;
  selected: readonly ListedExport[];
  onClear: () => void;
  onResults: (results: ReadonlyMap<string, BulkResult>) => void;
};

export function SelectionBar({ projectId, selected, onClear, onResults }: BarProps) {
  const queries = useQueryClient();
  const bulk = useMutation({
    mutationFn: (action: BulkAction) => applyBulk(projectId, selected, action),
    async onSuccess(results) {
      onResults(results);
      await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
    },
  });
  const arePaused = selected.every(({ pause }) => pause !== null);
  const act = (action: BulkAction, label: string) => (
    <Button
      isPending={bulk.isPending && bulk.variables === action}
      isDisabled={bulk.isPending}
      onPress={() => bulk.mutate(action)}
    >
      {label}
    </Button>
  );
  return (
    <div className={styles.bar} role="toolbar" aria-label="Selected exports">
      <span aria-live="polite">{selected.length} selected</span>
      {act('retry', 'Retry what failed')}
      {arePaused ? act('unpause', 'Unpause') : act('pause', 'Pause')}
      <Button kind="quiet" onPress={onClear}>
        Clear
      </Button>
    </div>
  );
}
