/** Rows of the ledger, and their conversion to the engine's types. */
import type { Receipt } from '../destinations/contract.ts';

export type LedgerState = 'open' | 'committing' | 'delivered';
export type LedgerEntry = {
  exportId: string;
  start: string;
  end: string;
  epoch: number;
  state: LedgerState;
  runId: string;
  receipt: Receipt | null;
};

/** An interval that a closed run left half way. `isNewestRun`: the run is the interval's newest one, so the entry is the ledger's own. */
export type UnsettledEntry = LedgerEntry & { isNewestRun: boolean };

export type Row = {
  batch_export_id: string;
  data_interval_start: string;
  data_interval_end: string;
  epoch: string;
  state: LedgerState;
  run_id: string;
  receipt: Receipt | null;
};

export function ledgerEntryFrom(row: Row): LedgerEntry {
  return {
    exportId: row.batch_export_id,
    start: row.data_interval_start,
    end: row.data_interval_end,
    epoch: Number(row.epoch),
    state: row.state,
    runId: row.run_id,
    receipt: row.receipt,
  };
}
