import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { Checkbox } from '../../look/edits/checkbox.tsx';
import { Strip } from '../states/cell.tsx';
import { Missed } from '../words/missed.tsx';
import type { BulkResult } from './bulk.ts';
import styles from './list.module.css';
import type { ListedExport } from './list-data.ts';
import { RowStatus } from './row-sentence.tsx';

type RowProps = {
  projectId: number;
  batchExport: ListedExport;
  isSelected: boolean;
  onSelect: (id: string, isSelected: boolean) => void;
  /** Result of the last bulk action. */
  result: BulkResult | undefined;
};

/** Marks the links between which `j` and `k` move. */
export const ROW_LINK = 'data-row-link';

export const ExportRow = memo(function ExportRow({ projectId, batchExport, isSelected, onSelect, result }: RowProps) {
  return (
    <li className={styles.row} data-selected={isSelected || undefined}>
      {/* Viewers get no checkbox, because bulk actions are for editors. */}
      {batchExport.canEdit ? (
        <Checkbox isSelected={isSelected} onChange={(selected) => onSelect(batchExport.id, selected)}>
          <span className="visually-hidden">Select {batchExport.name}</span>
        </Checkbox>
      ) : (
        <span className={styles.noBox} />
      )}
      <Link
        to="/project/$projectId/exports/$exportId"
        params={{ projectId, exportId: batchExport.id }}
        className={styles.name}
        {...{ [ROW_LINK]: batchExport.id }}
      >
        <span className={styles.title}>{batchExport.name}</span> <span aria-hidden>→</span>
        <span className="visually-hidden">to</span>{' '}
        <span className={styles.destination}>{batchExport.destination}</span>
      </Link>
      <Strip codes={batchExport.cells} />
      <div className={styles.below}>
        <RowStatus projectId={projectId} batchExport={batchExport} />
        {result && (
          <p className={result.ok ? styles.done : styles.refused} role="status">
            {result.text}
            {result.isUnpaused && batchExport.missed && !batchExport.pause && (
              <>
                {' '}
                <Missed {...batchExport} of={{ projectId, exportId: batchExport.id }} missed={batchExport.missed} />
              </>
            )}
          </p>
        )}
      </div>
    </li>
  );
});
