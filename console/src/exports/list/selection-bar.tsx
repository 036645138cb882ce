/** Actions on all selected exports. Results stay in their rows. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Chunk } from '../../chunks/chunk.tsx';
import { lazyChunk } from '../../chunks/lazy-chunk.ts';
import { Button } from '../../look/button.tsx';
import { exportKeys } from '../query-keys.ts';
import { applyBulk, type BulkAction, type BulkResult } from './bulk.ts';
import type { ListedExport } from './list-data.ts';
import styles from './list.module.css';

/** Loaded where it is asked for. */
const PauseDialog = lazyChunk(() => import('../export/pause-dialog.tsx'), 'PauseDialog');

type BarProps = {
  projectId: number;
  selected: readonly ListedExport[];
  onClear: () => void;
  onResults: (results: ReadonlyMap<string, BulkResult>) => void;
};

export function SelectionBar({ projectId, selected, onClear, onResults }: BarProps) {
  const queries = useQueryClient();
  const [asksPause, setAsksPause] = useState(false);
  async function onDone(results: ReadonlyMap<string, BulkResult>) {
    onResults(results);
    await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
  }
  const bulk = useMutation({
    mutationFn: (action: BulkAction) => applyBulk(projectId, selected, action),
    onSuccess: onDone,
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
      {arePaused ? (
        act('unpause', 'Unpause')
      ) : (
        <Button isDisabled={bulk.isPending} onPress={() => setAsksPause(true)}>
          Pause
        </Button>
      )}
      <Button kind="quiet" onPress={onClear}>
        Clear
      </Button>
      {asksPause && (
        <Chunk onClose={() => setAsksPause(false)}>
          <PauseDialog
            what={selected.length === 1 ? selected[0]!.name : `${selected.length} exports`}
            pause={async (notes): Promise<unknown> => onDone(await applyBulk(projectId, selected, 'pause', notes))}
            onClose={() => setAsksPause(false)}
          />
        </Chunk>
      )}
    </div>
  );
}
