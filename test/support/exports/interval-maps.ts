/** Maps of data intervals, written out: a code for each cell. */
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import type { IntervalMapBody } from '../../../src/exports/intervals/interval-map.schema.ts';

export type Cell = { start: string; end: string; code: string };

/** The cells of a map or of an export in the overview, oldest first. @throws Error if the numbers of bounds and states differ */
export function cellsOf({
  boundaries,
  states,
  lengths,
}: Pick<IntervalMapBody, 'boundaries' | 'states' | 'lengths'>): Cell[] {
  const bounds = boundaries.flatMap(({ start, step_seconds: step, count }) =>
    Array.from({ length: count }, (_, number) => millisOf(start) + number * step * 1000).map((from) => ({
      start: isoMicros(from),
      end: isoMicros(from + step * 1000),
    })),
  );
  const codes = states.flatMap((code, index) => Array.from({ length: lengths[index]! }, () => code));
  if (bounds.length !== codes.length) throw new Error(`${bounds.length} cells, and ${codes.length} states`);
  return bounds.map((bound, index) => ({ ...bound, code: codes[index]! }));
}
