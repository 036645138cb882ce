/** Checks layouts from clients. Layouts are stored verbatim; only those that would lose the position altogether are refused. */
import { InvalidInput } from '../../../platform/errors.ts';
import { limitValues } from '../../../platform/http/value-limit.ts';
import { GRIDS, type Layouts } from './layout.ts';

/** Limit for one tile; a dashboard has up to 500 tiles. */
const MAX_VALUES = 200;

const LAYOUT_HINT = 'Give a position for each grid: {"layouts": {"sm": {"x", "y", "w", "h"}}}.';

/**
 * @param given a tile, or the body of a tile action
 * @param path of `given` in the body
 * @throws InvalidInput for a position outside any grid, for more than 200 values, and for `layouts` misspelt as `layout`. Other unknown fields are
 * ignored, but this one would place the tile anywhere
 */
export function checkLayouts(given: { layouts?: Layouts | null }, ...path: (string | number)[]): void {
  if ('layout' in given) throw new InvalidInput(LAYOUT_HINT, [...path, 'layout'].join('__'));
  const layouts = limitValues(given.layouts ?? {}, [...path, 'layouts'].join('__'), MAX_VALUES);
  const isBare = ['x', 'y', 'w', 'h'].some((name) => name in layouts);
  if (isBare && !Object.keys(GRIDS).some((grid) => grid in layouts)) {
    throw new InvalidInput(LAYOUT_HINT, [...path, 'layouts'].join('__'));
  }
}
