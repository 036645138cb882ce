/** Reads a delivery back, file by file, and searches it for erased persons. A search that was interrupted goes on behind its last file. */
import { createHmac } from 'node:crypto';
import { mergeOf } from '../../src/events/reading/selection.ts';
import { hashKeyOf } from '../../src/exports/batch-exports/content.ts';
import { anyDestination } from '../../src/exports/destinations/index.ts';
import type { HeldDelivery } from '../../src/exports/erasures/delivery-facts.store.ts';
import type { DeliverySearch } from '../../src/exports/erasures/delivery-facts.ts';
import { countSought } from '../../src/exports/formats/sought-rows.ts';
import { InvalidInput } from '../../src/platform/errors.ts';
import { forLog } from '../../src/platform/temporal/failures.ts';
import type { Engine } from '../engine.ts';
import { exportLogFields, runWithDeadline } from '../round-steps.ts';
import { openSessionToSettle, requirePlan } from '../runs/open-session.ts';

type SearchEngine = Pick<Engine, 'stores' | 'configs' | 'environment' | 'events' | 'timeline' | 'log' | 'step'>;

/** Limit of one search in a round: a file that takes longer cannot be searched. */
const SEARCH_MS = 15_000;

/**
 * @param ids distinct ids of the persons
 * @param until value of `performance.now()` after which no further file is begun
 * @returns how far the search is; a failure is logged, and counted. Undefined if the interval is being delivered again
 */
export async function searchDelivery(
  engine: SearchEngine,
  delivery: HeldDelivery,
  ids: readonly string[],
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<DeliverySearch | undefined> {
  const runId = delivery.facts.deliveredRunId!;
  const before = delivery.facts.search;
  const search: DeliverySearch =
    before?.runId === runId && before.filesRead !== null
      ? { ...before }
      : { runId, filesRead: 0, rowsFound: 0, failures: 0 };
  try {
    return await runWithDeadline(SEARCH_MS, signal, async (deadline) =>
      searchOn(engine, delivery, ids, search, { until, signal: deadline }),
    );
  } catch (error) {
    engine.log.warn(
      { ...forLog(error), ...exportLogFields(delivery.exportId), run_id: runId },
      'a delivery could not be searched for erased persons: a later round tries again',
    );
    return { ...search, failures: search.failures + 1 };
  }
}

/** @param search is changed after each file */
async function searchOn(
  engine: SearchEngine,
  delivery: HeldDelivery,
  ids: readonly string[],
  search: DeliverySearch,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<DeliverySearch | undefined> {
  const { stores, configs, events } = engine;
  const run = await stores.runs.getById(search.runId);
  const entry = await stores.ledger.find(delivery);
  if (!entry?.receipt || entry.state === 'committing') return undefined;
  const { receipt } = entry;
  const planned = requirePlan(run);
  const { slice, plan } = planned;
  const hashKey = hashKeyOf(configs, run);
  const texts = hashKey === null ? ids : [...ids, ...ids.map(hashedWith(hashKey))];
  const rows = () => events.copy({ ...slice, cutoff: receipt.cutoff }, plan.columns, { hashKey, signal });
  // The search of a table deletes rows.
  await engine.timeline.assertDeliverable();
  const session = await openSessionToSettle(engine, planned, signal);
  try {
    for await (const found of session.search?.(receipt, { texts, rows, skip: search.filesRead ?? 0 }) ?? []) {
      Object.assign(search, {
        filesRead: (search.filesRead ?? 0) + 1,
        rowsFound: search.rowsFound + found,
        failures: 0,
      });
      if (performance.now() > until) return search;
    }
  } finally {
    await session.close();
  }
  const isMerged = mergeOf(slice.content) && plan.destination && anyDestination(plan.destination.type).takes === 'rows';
  // Rows that were stored after the erasure was requested are new data, and stay.
  const newRows = search.rowsFound > 0 && !isMerged ? await countAtSource(rows(), plan.columns, texts) : 0;
  return { ...search, filesRead: null, rowsFound: Math.max(0, search.rowsFound - newRows) };
}

/** The hash that a transformation of content puts in a value's place. */
function hashedWith(key: string) {
  return (id: string) => createHmac('sha256', key).update(id).digest('hex');
}

/** @returns 0 if the source has expired, so nobody can tell which rows are new */
async function countAtSource(...[rows, columns, texts]: Parameters<typeof countSought>): Promise<number> {
  try {
    return await countSought(rows, columns, texts);
  } catch (error) {
    if (error instanceof InvalidInput && error.code === 'source_expired') return 0;
    throw error;
  }
}
