/** A run's plan: the content that every attempt writes. Stored with the run; never changed. */
import type { FileEncoding } from '../formats/file-encoding.ts';
import type { Column } from '../../conditions/rows/columns.ts';
import type { Content } from '../../conditions/rows/content.ts';

/** A row's position in the order of an interval's rows, `(interval_time, uuid)`. */
export type Boundary = { intervalTime: string; uuid: string };

/** A part, half-open `[from, to)`; a missing bound is that of the interval. */
export type PlannedPart = { rows: number; from?: Boundary; to?: Boundary };

/** Where and how a run delivers. Has no secrets: a run looks them up when it opens the place. */
export type PinnedDestination = {
  /** The `destination.type` of the API. */
  type: string;
  /** Results of `Destination.place` and `Destination.keySpace`. */
  place: string;
  keySpace: string;
  /** The destination's configuration without secrets. */
  config: Record<string, unknown>;
};

export type Plan = {
  /**
   * Destination of every step of the run, even if the export changes. Absent in plans of earlier versions, which follow the
   * export's configuration and are pinned to it just before it changes.
   */
  destination?: PinnedDestination;
  /** Only rows stored before this instant (ISO, microseconds): that set can no longer grow. */
  cutoff: string;
  rows: number;
  /** Estimated size as JSON lines before compression. */
  bytes: number;
  parts: PlannedPart[];
  content: Content;
  /** Encrypted; set if a column is hashed, so every attempt hashes with the same key. */
  hashKey: string | null;
  /** Columns that are read and delivered, in order. */
  columns: readonly Column[];
  file: FileEncoding & { numbered: boolean };
  /** The encoder's version; another version writes other bytes. */
  formatVersion: number;
};

/** A plan in its run's row; the parts of a large plan are stored as rows of their own, and only their number is here. */
export type StoredPlan = Omit<Plan, 'parts'> & { parts?: PlannedPart[]; partCount?: number };

/** Counts the parts of a stored plan. @throws Error if it has neither parts nor their number, because assuming none would drop every row */
export function countParts({ parts, partCount }: Pick<StoredPlan, 'parts' | 'partCount'>): number {
  const count = parts?.length ?? partCount;
  if (count === undefined) throw new Error('the plan has neither `parts` nor `partCount`');
  return count;
}

/** Upper limit of a part's rows, even if the configuration permits more. */
const MAX_PART_ROWS = 250_000;
const MEBIBYTE = 1024 * 1024;
const MAX_PART_BYTES = 256 * MEBIBYTE;
export const FORMAT_VERSION = 2;

/** Limit of a plan's parts, set by the size of receipts, manifests, histories and one delivering statement. */
const MAX_FILES = 10_000;
const MAX_STAGE_TABLES = 200;

/** Limits of one part, and of one plan. */
export type PlanLimits = { rows: number; bytes: number; parts: number };

/** @param maxFileSizeMb target size of a file before compression, in MiB; null or 0 for none */
export function planLimits(takes: 'files' | 'rows', maxFileSizeMb: number | null | undefined): PlanLimits {
  return {
    rows: MAX_PART_ROWS,
    bytes: maxFileSizeMb ? Math.min(maxFileSizeMb * MEBIBYTE, MAX_PART_BYTES) : MAX_PART_BYTES,
    parts: takes === 'files' ? MAX_FILES : MAX_STAGE_TABLES,
  };
}

/** Explains why a plan with more parts than the limit is rejected, and what to change. */
export function tooManyPartsSentence(
  takes: 'files' | 'rows',
  limits: PlanLimits,
  { rows, bytes }: Pick<Plan, 'rows' | 'bytes'>,
) {
  const size = `${rows} rows, about ${Math.ceil(bytes / MEBIBYTE)} MiB`;
  const shorter = 'Choose a shorter interval, or fewer events';
  if (takes === 'rows')
    return `The data interval (${size}) would take more than ${limits.parts} stage tables. ${shorter}.`;
  const needed = Math.ceil(bytes / limits.parts / MEBIBYTE) + 1;
  const larger =
    limits.bytes < needed * MEBIBYTE && needed * MEBIBYTE <= MAX_PART_BYTES
      ? `Raise \`max_file_size_mb\` to ${needed} or more, or choose a shorter interval or fewer events`
      : shorter;
  return `The data interval (${size}) would take more than ${limits.parts} files. ${larger}.`;
}
