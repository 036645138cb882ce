/** A delivery, and the parts that it is staged in. */
import type { Column, RowVersions } from '../../conditions/rows/columns.ts';
import type { FileEncoding } from '../formats/file-encoding.ts';
import type { PartSummary } from '../formats/part-summary.ts';

/** One deterministic piece of a data interval. */
export type Part = {
  /** From 0. */
  index: number;
  /** Rows that the plan counted in it. */
  rows: number;
};

/** One run's delivery, from its plan. Instants are ISO, UTC, six decimals, Z. */
export type Delivery = {
  projectId: number;
  exportId: string;
  runId: string;
  model: string;
  /** The data interval, half-open. */
  start: string;
  end: string;
  /** The run delivers rows stored before this instant. */
  cutoff: string;
  /** Fencing token: the interval's ledger row had this value when the plan was stored. */
  epoch: number;
  columns: readonly Column[];
  /** How a table keeps only the newest version of each row, by columns of the delivery; null: the interval's rows are its own. */
  merge: RowVersions | null;
  /** For file destinations: how the engine encodes, and whether names carry `-<n>` even for one part. */
  file: FileEncoding & { numbered: boolean };
};

/** A staged part as `write` leaves it for `commit`: JSON-safe, stored in the run. `staged` is the destination's own. */
export type StagedPart = PartSummary & { index: number; staged: Readonly<Record<string, unknown>> };
