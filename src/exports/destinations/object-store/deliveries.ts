/** Lists the delivered data intervals in a store by the names of manifests, because a listing costs less than asking for each interval. */
import type { IntervalBounds } from '../contract.ts';
import { withModel } from '../key-space.ts';
import { EVENT, MANIFESTS } from './event-folders.ts';
import { manifestKey } from './keys.ts';
import { instantOfCompact } from './prefix-variables.ts';
import type { ObjectStore } from './store.ts';

const MANIFEST = /(?:^|\/)([\dTZ.]+)-([\dTZ.]+)_manifest\.json$/;

/**
 * @param prefix as `checkPrefix` returned it
 * @returns intervals that have a manifest, which may be another export's
 */
export async function* listDeliveriesIn(
  store: ObjectStore,
  prefix: string,
  model: string,
): AsyncGenerator<IntervalBounds> {
  const fixed = withModel(prefix, model).replace(EVENT, MANIFESTS).replace(/\{.*$/s, '');
  for await (const key of store.list(fixed)) {
    const named = MANIFEST.exec(key);
    const [start, end] = [instantOfCompact(named?.[1]), instantOfCompact(named?.[2])];
    // The comparison excludes names under other prefixes that begin in the same way.
    if (start && end && manifestKey(prefix, { start, end, model }) === key) yield { start, end };
  }
}
