/** One part's rows on their way out of Postgres, encoded as the plan says or as they come, counted while they pass. */
import type { PartSource, PartSummary } from '../src/destinations/contract.ts';
import { IntervalShrank } from '../src/errors.ts';
import type { EventReader } from '../src/events/read.ts';
import { encodeFile } from '../src/formats/file.ts';
import { scanRows } from '../src/formats/scan.ts';
import type { PlannedRun } from './open-session.ts';

/** @param hashKey where the content is hashed */
export function partSource(
  events: EventReader,
  { plan, slice }: PlannedRun,
  hashKey: string | null,
  index: number,
  signal: AbortSignal,
): PartSource {
  const { rows: planned, ...range } = plan.parts[index]!;
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
      if (read.rows < planned) throw new IntervalShrank(planned - read.rows);
      if (read.rows > planned)
        throw new Error(`a part planned with ${planned} rows has ${read.rows}: the seal was broken`);
      return read;
    },
  };
}
