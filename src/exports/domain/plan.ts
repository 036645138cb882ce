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
  /**
   * `numbered`: whether names of files carry `-<n>`; `per_event`: only those of events that have several parts. Earlier plans number all
   * files if one event has several, and keep their names.
   */
  file: FileEncoding & { numbered: boolean | 'per_event' };
  /** Set if each part holds one event, because names of files contain it. */
  byEvent?: PlanByEvent;
  /** The encoder's version; another version writes other bytes. */
  formatVersion: number;
};

export type PlanByEvent = {
  /** Events in the order of the parts; null for all that are not named here. */
  events: readonly { event: string | null; parts: number }[];
  /** The parts that one reading of the interval stages: the end (excluded) of each range of parts, the last of which is their number. */
  readings: readonly number[];
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

/** Limit of the events of one interval that have files of their own. */
const MAX_NAMED_EVENTS = 1_000;

/** Limits of one part, and of one plan. `events`: set if each part holds one event. */
export type PlanLimits = { rows: number; bytes: number; parts: number; events?: number };

/** @param maxFileSizeMb target size of a file before compression, in MiB; null or 0 for none */
export function planLimits(
  takes: 'files' | 'rows',
  maxFileSizeMb: number | null | undefined,
  { byEvent }: { byEvent: boolean },
): PlanLimits {
  return {
    rows: MAX_PART_ROWS,
    bytes: maxFileSizeMb ? Math.min(maxFileSizeMb * MEBIBYTE, MAX_PART_BYTES) : MAX_PART_BYTES,
    parts: takes === 'files' ? MAX_FILES : MAX_STAGE_TABLES,
    ...(byEvent && { events: MAX_NAMED_EVENTS }),
  };
}

/**
 * Limits of one reading of an interval for parts by event. Each reading visits all rows of the interval, and Postgres sorts the ones that it
 * returns, on disk if need be.
 */
const READING_ROWS = 1_000_000;
const READING_BYTES = 1024 * MEBIBYTE;

/** Limit of a plan's readings, because the time of all of them grows with its square. */
export const MAX_READINGS = 50;

/**
 * @param events in the order of the parts, with the bytes of their rows: rows of one event may be much larger than others
 * @returns the end of each range of parts that are read together
 */
export function readingsOf(
  parts: readonly Pick<PlannedPart, 'rows'>[],
  events: readonly { parts: number; bytes: number }[],
): number[] {
  const ends: number[] = [];
  let [rows, bytes, index] = [0, 0, 0];
  for (const event of events) {
    const own = parts.slice(index, index + event.parts);
    const bytesPerRow = event.bytes / own.reduce((sum, part) => sum + part.rows, 0);
    for (const part of own) {
      const size = part.rows * bytesPerRow;
      if (rows > 0 && (rows + part.rows > READING_ROWS || bytes + size > READING_BYTES)) {
        ends.push(index);
        [rows, bytes] = [0, 0];
      }
      rows += part.rows;
      bytes += size;
      index += 1;
    }
  }
  return parts.length === 0 ? [] : [...ends, parts.length];
}

/** Explains why a plan with more readings than the limit is rejected, and what to change. */
export function tooManyReadingsSentence({ rows, bytes }: Pick<Plan, 'rows' | 'bytes'>): string {
  const size = `${rows} rows, about ${Math.ceil(bytes / MEBIBYTE)} MiB`;
  return `The data interval (${size}) would be read more than ${MAX_READINGS} times for files by event. Choose a shorter interval, or fewer events.`;
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
