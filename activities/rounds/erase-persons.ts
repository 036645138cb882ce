/**
 * Erases persons: deletes their rows slice by slice, records in which data intervals each slice was, has these delivered again without
 * them, and reads the deliveries back. Each slice is one transaction with the position up to which the source is searched, so a round that was killed is continued.
 */
import { formerPersonIds } from '../../src/events/persons/person-id.ts';
import {
  deleteErasedEvents,
  deleteErasedStates,
  deleteErasedVersions,
  endDeletion,
  findErasedEvents,
  findErasedVersions,
  listOpenErasures,
  type OpenErasure,
} from '../../src/events/table/erasing.ts';
import type { ErasedRows } from '../../src/events/reading/erased-rows.ts';
import { isoMicros, millisOf } from '../../src/exports/domain/instants.ts';
import { deliveryStateOf } from '../../src/exports/erasures/delivery-state.ts';
import type { HeldDelivery } from '../../src/exports/erasures/delivery-facts.store.ts';
import type { DeliveryFacts, DeliverySearch, DeliveryState } from '../../src/exports/erasures/delivery-facts.ts';
import type { ErasureToSettle } from '../../src/exports/erasures/erased-deliveries.store.ts';
import { findTouchedIntervals, recordTouched } from '../../src/exports/erasures/touched-intervals.ts';
import { sourceStartOfExport } from '../../src/exports/intervals/expired.ts';
import type { Engine } from '../engine.ts';
import { forLog } from '../../src/platform/temporal/failures.ts';
import { forEachLoggingFailures, shuffle } from '../round-steps.ts';
import { searchDelivery } from './search-delivery.ts';

export type ErasingEngine = Pick<
  Engine,
  'pool' | 'stores' | 'fileGraceHours' | 'log' | 'configs' | 'environment' | 'events' | 'timeline' | 'step'
>;

/** Dependencies of the deletion of rows, which contacts no destination. */
export type ErasingRowsEngine = Pick<Engine, 'pool' | 'stores' | 'log'>;

type Options = { beginWithinMs: number; signal: AbortSignal };

/** Limit of deliveries that are checked in one round. */
const CHECKED_AT_ONCE = 500;
/** Time after which no further file of an erasure is read in a round, so others have their turn. */
const SEARCH_WITHIN_MS = 3_000;
/** Limit of re-deliveries that an export is asked for at once: others follow when these are done, so they do not delay other runs for long. */
const REQUESTED_AT_ONCE = 10;

/** Databases in which this process is deleting rows: a round whose time was over may still be at its last slice. */
const BUSY = new WeakSet<ErasingRowsEngine['pool']>();

/** Deletes rows of persons who are to be erased. @returns how many rows were deleted */
export async function eraseRows(engine: ErasingRowsEngine, options: Options): Promise<number> {
  if (BUSY.has(engine.pool)) return 0;
  BUSY.add(engine.pool);
  try {
    return await eraseInTurns(engine, options);
  } finally {
    BUSY.delete(engine.pool);
  }
}

/** Projects take turns, a slice each, so one with many erasures does not delay the others. */
async function eraseInTurns(engine: ErasingRowsEngine, { beginWithinMs, signal }: Options): Promise<number> {
  const beginUntil = performance.now() + beginWithinMs;
  const open = await listOpenErasures(engine.pool);
  const projects = shuffle([...Map.groupBy(open, ({ projectId }) => projectId).values()]);
  let deleted = 0;
  for (let erasures = projects.shift(); erasures && performance.now() < beginUntil; erasures = projects.shift()) {
    signal.throwIfAborted();
    const [erasure, ...others] = erasures as [OpenErasure, ...OpenErasure[]];
    let slice: ErasedSlice | undefined;
    try {
      slice = await eraseSlice(engine, erasure);
    } catch (error) {
      engine.log.warn({ ...forLog(error), erasure_id: erasure.id }, 'rows of an erasure are deleted later');
    }
    deleted += slice?.deleted ?? 0;
    const left = slice && !slice.isLast ? erasures : others;
    if (left.length > 0) projects.push(left);
  }
  return deleted;
}

type ErasedSlice = { deleted: number; isLast: boolean };

/** Deletes the next rows, and moves the erasure's position. @returns undefined if another process has done so meanwhile */
async function eraseSlice(engine: ErasingRowsEngine, erasure: OpenErasure): Promise<ErasedSlice | undefined> {
  const { pool } = engine;
  const formerIds = formerPersonIds(erasure);
  const found = await findErasedEvents(pool, erasure, formerIds);
  if (found) {
    const touched = await findTouchedIntervals(engine, erasure.projectId, { events: found.events, versions: [] });
    const isDone = await deleteErasedEvents(pool, erasure, found, (client) =>
      recordTouched(client, erasure.id, touched),
    );
    if (!isDone) return undefined;
    Object.assign(erasure, { searchedTime: found.until.time, searchedUuid: found.until.uuid });
    return { deleted: found.events.length, isLast: false };
  }
  const versions = await findErasedVersions(pool, erasure);
  if (versions.length > 0) {
    const rows: ErasedRows = { events: [], versions };
    const touched = await findTouchedIntervals(engine, erasure.projectId, rows);
    const isDone = await deleteErasedVersions(pool, erasure, versions, (client) =>
      recordTouched(client, erasure.id, touched),
    );
    return isDone ? { deleted: versions.length, isLast: false } : undefined;
  }
  const states = await deleteErasedStates(pool, erasure, formerIds);
  if (states > 0) return { deleted: states, isLast: false };
  await recordNotSearched(engine, erasure);
  await endDeletion(pool, erasure.id);
  return { deleted: 0, isLast: true };
}

async function recordNotSearched({ stores }: ErasingRowsEngine, { id, projectId }: OpenErasure): Promise<void> {
  for (const batchExport of await stores.batchExports.listIncludingDeleted(projectId)) {
    const start = sourceStartOfExport(batchExport);
    if (start > -Infinity) await stores.erasedDeliveries.recordNotSearched(id, batchExport.id, isoMicros(start));
  }
}

/** Checks the deliveries of erasures whose rows are deleted, and requests re-deliveries. @returns how many were requested */
export async function settleErasures(engine: ErasingEngine, { beginWithinMs, signal }: Options): Promise<number> {
  const beginUntil = performance.now() + beginWithinMs;
  let requested = 0;
  await forEachLoggingFailures(
    engine,
    signal,
    'deliveries of an erasure are checked later',
    shuffle(await engine.stores.erasedDeliveries.listErasuresToSettle()),
    ({ id }) => ({ erasure_id: id }),
    async (erasure) => {
      if (performance.now() < beginUntil) requested += await settleErasure(engine, erasure, signal);
    },
  );
  return requested;
}

async function settleErasure(
  engine: ErasingEngine,
  { id, projectId }: ErasureToSettle,
  signal: AbortSignal,
): Promise<number> {
  const { stores, fileGraceHours } = engine;
  const { erasedDeliveries } = stores;
  const held = await erasedDeliveries.listToCheck(id, CHECKED_AT_ONCE, fileGraceHours);
  const exports = new Map(
    (await stores.batchExports.listIncludingDeleted(projectId)).map((batchExport) => [batchExport.id, batchExport]),
  );
  const now = millisOf(await stores.batchExports.now());
  const due = new Map<string, HeldDelivery[]>();
  const search = deliverySearcher(engine, id, signal);
  const checked: { delivery: HeldDelivery; state: DeliveryState | undefined }[] = [];
  for (const delivery of held) {
    const batchExport = exports.get(delivery.exportId);
    if (!batchExport) continue;
    const stateWith = (facts: DeliveryFacts) => deliveryStateOf(batchExport, delivery, facts, now);
    const state = stateWith(delivery.facts);
    const found = state?.isToSearch ? await search(delivery) : undefined;
    checked.push({ delivery, state: found ? stateWith({ ...delivery.facts, search: found }) : state });
  }
  await erasedDeliveries.setStates(id, checked, held.length === CHECKED_AT_ONCE);
  for (const { delivery, state } of checked)
    if (state?.isDue) due.set(delivery.exportId, [...(due.get(delivery.exportId) ?? []), delivery]);
  let requested = 0;
  for (const [exportId, deliveries] of due)
    requested += await requestRedeliveries(stores, { id, exportId }, deliveries.slice(0, REQUESTED_AT_ONCE));
  await erasedDeliveries.setErasureState(id);
  return requested;
}

/** @returns a function that searches a delivery and records the result; undefined once the time is over */
function deliverySearcher(engine: ErasingEngine, erasureId: string, signal: AbortSignal) {
  const { erasedDeliveries } = engine.stores;
  const until = performance.now() + SEARCH_WITHIN_MS;
  let ids: string[] | undefined;
  return async (delivery: HeldDelivery): Promise<DeliverySearch | undefined> => {
    if (performance.now() > until) return undefined;
    ids ??= await erasedDeliveries.distinctIds(erasureId);
    const search = await searchDelivery(engine, delivery, ids, { until, signal });
    if (search) await erasedDeliveries.recordSearch(erasureId, delivery, search);
    return search;
  };
}

/** Requests runs for the intervals, unless the export has requests that wait: live data and what people ask for comes first. */
async function requestRedeliveries(
  stores: Engine['stores'],
  { id, exportId }: { id: string; exportId: string },
  deliveries: readonly HeldDelivery[],
): Promise<number> {
  if ((await stores.runRequests.countOpen(exportId)) > 0) return 0;
  const intervals = deliveries.map(({ start, end }) => ({ start: millisOf(start), end: millisOf(end) }));
  await stores.inTransaction(async (tx) => {
    await tx.runRequests.open(exportId, intervals, 'stale');
    for (const delivery of deliveries) await tx.erasedDeliveries.markRequested(id, delivery);
  });
  return deliveries.length;
}
