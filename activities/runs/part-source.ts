/** One part's rows on their way out of Postgres, encoded as the plan says or as they come, counted while they pass. */
import type { PartSource } from '../../src/exports/destinations/contract.ts';
import type { PartSummary } from '../../src/exports/formats/part-summary.ts';
import { IntervalShrank } from '../../src/platform/errors.ts';
import type { EventReader } from '../../src/events/reading/read.ts';
import type { PlannedPart } from '../../src/exports/domain/plan.ts';
import { encodeFile } from '../../src/exports/formats/file.ts';
import { scanRows } from '../../src/exports/formats/scan.ts';
import type { PlannedRun } from './open-session.ts';

/** @param hashKey where the content is hashed */
export function partSource(
  events: EventReader,
  { plan, slice }: PlannedRun,
  { rows: planned, ...range }: PlannedPart,
  hashKey: string | null,
  signal: AbortSignal,
): PartSource {
  let summary: (() => PartSummary) | undefined;
  const copy = () => events.copy({ ...slice, ...range }, plan.columns, { signal, hashKey });

  return {
    file() {
      const encoded = encodeFile(copy(), { ...plan.file, columns: plan.columns });
      summary = encoded.summary;
      return encoded.bytes;
    },
    rows() {
      const scanned = scanRows(copy(), plan.columns);
      summary = scanned.summary;
      return scanned.rows;
    },
    summary() {
      if (!summary) throw new Error('a part was staged without reading it');
      const read = summary();
      // tooth: part-shrank
      if (read.rows < planned) throw new IntervalShrank(planned - read.rows);
      // tooth: part-grew
      if (read.rows > planned)
        throw new Error(`a part planned with ${planned} rows has ${read.rows}: the seal was broken`);
      return read;
    },
  };
}
