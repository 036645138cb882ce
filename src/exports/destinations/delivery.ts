/** A delivery, and the parts that it is staged in. */
import type { Column, RowVersions } from '../../conditions/rows/columns.ts';
import type { FileEncoding } from '../formats/file-encoding.ts';
import type { PartSummary } from '../formats/part-summary.ts';

/** One deterministic piece of a data interval. */
export type Part = {
  /** From 0. */
  index: number;
  /** Number of rows that the plan counted in the part. */
  rows: number;
};

/** An event, or null for all that the plan does not name, and the number of its parts, which follow each other. */
export type EventParts = { event: string | null; parts: number };

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
  /** Columns by which a table keeps only the newest version of each row; null if rows have no versions, so no two intervals share a row. */
  merge: RowVersions | null;
  /** For file destinations: how the engine encodes, and which names carry `-<n>`: all, none, or those of events with several parts. */
  file: FileEncoding & { numbered: boolean | 'per_event' };
  /** Set if each part holds one event: the events in the order of the parts. */
  events?: readonly EventParts[];
};

/** A staged part, which `write` returns for `commit`: JSON-safe, stored with the run. Only the destination interprets `staged`. */
export type StagedPart = PartSummary & { index: number; staged: Readonly<Record<string, unknown>> };

/** A search of a delivery for rows of erased persons. */
export type Search = {
  /** Values of columns of type text. */
  texts: readonly string[];
  /** Number of files that an earlier search has read. */
  skip: number;
  /** The delivery's rows as they are at the source, for a table of rows with versions. */
  rows(): AsyncIterable<Uint8Array>;
};
