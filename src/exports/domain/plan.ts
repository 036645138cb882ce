/** A run's plan: the content that every attempt writes. Stored with the run; never changed. */
import type { Column, FileEncoding, Part } from '../../destinations/contract.ts';
import type { Content } from './content.ts';

/** A row's place in the order of an interval: `(interval_time, uuid)`. */
export type Boundary = { intervalTime: string; uuid: string };

/** Half-open `[from, to)`; a missing end is the interval's own. */
export type PlannedPart = { rows: number; from?: Boundary; to?: Boundary };

export type Plan = {
  /** Only rows stored before this instant (ISO, microseconds): that set can no longer grow. */
  cutoff: string;
  rows: number;
  /** Estimate: JSON lines before compression. */
  bytes: number;
  parts: PlannedPart[];
  content: Content;
  /** Sealed, where something is hashed: every attempt hashes with the same key. */
  hashKey: string | null;
  /** What is read and delivered, in order. */
  columns: readonly Column[];
  file: FileEncoding & { numbered: boolean };
  /** The encoder's version: a change of it is a change of content. */
  formatVersion: number;
};

/** The most that one part holds, whatever the destination says. */
const PART_ROWS = 250_000;
const MEBIBYTE = 1024 * 1024;
const PART_BYTES = 256 * MEBIBYTE;
export const FORMAT_VERSION = 2;

/** @param maxFileSizeMb target size of a file before compression, MiB; null or 0: none */
export function partLimits(maxFileSizeMb: number | null | undefined): { rows: number; bytes: number } {
  return { rows: PART_ROWS, bytes: maxFileSizeMb ? Math.min(maxFileSizeMb * MEBIBYTE, PART_BYTES) : PART_BYTES };
}

/** How far a delivered plan got, as a run's `cursor` says it: opaque to readers. */
export function cursorAfter({ parts }: Plan, end: string): string {
  const last = parts.at(-1)?.to;
  return last ? `${last.intervalTime}/${last.uuid}` : end;
}

export function partsOf(plan: Plan): Part[] {
  return plan.parts.map(({ rows }, index) => ({ index, rows }));
}
