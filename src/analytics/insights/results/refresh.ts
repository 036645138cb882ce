/** `?refresh=`: when a result is computed again. */
import { Type } from '../../../platform/schema.ts';

/**
 * - `force_cache`: never; a result that was never computed is not shown.
 * - `cache`: when no result is stored, so viewers always see one.
 * - `blocking`: also when the result is old.
 * - `force_blocking`: always.
 * - `async`: like `cache`, but an old result is also recomputed in the background.
 * - `force_async`: like `async`, but a fresh result is recomputed, too.
 */
export type Refresh = 'force_cache' | 'cache' | 'blocking' | 'force_blocking' | 'async' | 'force_async';

/** Query parameter. */
export const RefreshParam = Type.Optional(
  Type.String({
    description:
      'When results are recomputed. `force_cache`: never. `false`: if there is no result. `async` (default): ' +
      'also in the background if the result is old. `blocking`: also before responding if the result is old. ' +
      '`force_async`: always, in the background. `force_blocking` or `true`: always, before responding. Other ' +
      'values mean `false`.',
  }),
);

const MODES: Readonly<Record<string, Refresh>> = {
  force_cache: 'force_cache',
  blocking: 'blocking',
  force_blocking: 'force_blocking',
  async: 'async',
  lazy_async: 'async',
  force_async: 'force_async',
  true: 'force_blocking',
  '1': 'force_blocking',
  yes: 'force_blocking',
  '': 'force_blocking',
};

/**
 * @param text value of the query parameter; `no` and unknown values mean `cache`, as in upstream
 * @param fallback the value when the text is absent
 */
export function refreshOf(text: string | undefined, fallback: Refresh = 'async'): Refresh {
  if (text === undefined) return fallback;
  const name = text.toLowerCase();
  return Object.hasOwn(MODES, name) ? MODES[name]! : 'cache';
}

export type Action = 'show' | 'compute' | 'show and compute';

/** @param known the stored result; undefined: none */
export function actionFor(refresh: Refresh, known: { isOld: boolean } | undefined): Action {
  if (refresh === 'force_cache') return 'show';
  if (!known || refresh === 'force_blocking') return 'compute';
  if (refresh === 'force_async') return 'show and compute';
  if (refresh === 'cache' || !known.isOld) return 'show';
  return refresh === 'blocking' ? 'compute' : 'show and compute';
}
