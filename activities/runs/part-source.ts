/** Reads one part's rows from Postgres, encoded as the plan says or raw, and counts them. */
import type { PartSource } from '../../src/exports/destinations/contract.ts';
import type { PartSummary } from '../../src/exports/formats/part-summary.ts';
import { IntervalShrank } from '../../src/platform/errors.ts';
import type { ReadProgress } from '../../src/exports/runs/progress-meter.ts';
import type { EventReader } from '../../src/events/reading/read.ts';
import type { PlannedPart, StoredPlan } from '../../src/exports/domain/plan.ts';
import { encodeFile } from '../../src/exports/formats/file.ts';
import { scanRows } from '../../src/exports/formats/scan.ts';
import type { PlannedRun } from './open-session.ts';

export type RunPartSource = PartSource & { readProgress: ReadProgress };

/** @param hashKey key for hashed columns */
export function partSource(
  events: EventReader,
  { plan, slice }: PlannedRun,
  { rows, ...range }: PlannedPart,
  hashKey: string | null,
  signal: AbortSignal,
): RunPartSource {
  return sourceOfRows(plan, rows, () => events.copy({ ...slice, ...range }, plan.columns, { signal, hashKey }));
}

/** @param copy begins to read the part's rows, as COPY BINARY with header and trailer */
export function sourceOfRows(
  plan: Pick<StoredPlan, 'columns' | 'file'>,
  plannedRows: number,
  copy: () => AsyncIterable<Uint8Array>,
): RunPartSource {
  let summarize: (() => PartSummary) | undefined;
  let readProgress: ReadProgress | undefined;

  return {
    readProgress: () => readProgress?.() ?? { rows: 0, bytes: 0 },
    file() {
      const file = encodeFile(copy(), { ...plan.file, columns: plan.columns });
      ({ summary: summarize, progress: readProgress } = file);
      return file.bytes;
    },
    rows() {
      const scan = scanRows(copy(), plan.columns);
      ({ summary: summarize, progress: readProgress } = scan);
      return scan.rows;
    },
    summary() {
      if (!summarize) throw new Error('a part was staged without reading it');
      const read = summarize();
      // tooth: part-shrank
      if (read.rows < plannedRows) throw new IntervalShrank(plannedRows - read.rows);
      // tooth: part-grew
      if (read.rows > plannedRows)
        throw new Error(
          `a part planned with ${plannedRows} rows has ${read.rows}: rows were added to the interval after it was sealed`,
        );
      return read;
    },
  };
}
