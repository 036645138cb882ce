/**
 * Whether the deliveries of a data interval still hold erased rows. A run that began after the rows were deleted has read none of them, and
 * its delivery has replaced that of an earlier run at the same place. Its files or rows are read back all the same, before they count as clean.
 */
import type { RemainderReason } from '../../events/table/erasing.ts';
import { mergeOf } from '../../events/reading/selection.ts';
import { anyDestination } from '../destinations/index.ts';
import { promisesOf } from '../destinations/promises.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { millisOf } from '../domain/instants.ts';
import type { Millis } from '../domain/millis.ts';
import { isOpen } from '../domain/statuses.ts';
import { isSameKeySpace } from '../deliveries/key-spaces.ts';
import type { DeliveryFacts, DeliveryPlace, DeliveryState } from './delivery-facts.ts';
import { pinnedDestination } from '../integrations/pinned-destination.ts';
import { sourceStartOfExport } from '../intervals/expired.ts';

const MAX_REQUESTS = 5;
const MAX_SEARCH_FAILURES = 5;
/** Days after which superseded files that could not be deleted are forgotten, though they stay. */
const FORGOTTEN_AFTER_MS = 6 * 86_400_000;

/** @returns undefined if nothing was delivered, and nothing is being delivered */
export function deliveryStateOf(
  batchExport: BatchExport & { deleted: boolean },
  interval: { start: string },
  facts: DeliveryFacts,
  now: Millis,
): DeliveryState | undefined {
  const runId = facts.deliveredRunId;
  const remainder = (reason: RemainderReason, keptUntil: string | null = null): DeliveryState => ({
    state: 'remainder',
    reason,
    keptUntil,
    runId,
  });
  const { newestRun } = facts;
  // tooth: erasure-open-run
  if ((facts.isCommitting && !facts.isStuck) || (newestRun && isOpen(newestRun.status)))
    return { state: 'held', runId };
  if (facts.isForeign) return remainder('foreign_delivery');
  if (facts.isCommitting) return remainder('delivery_in_doubt');
  const typeOf = (type: string | null) => type ?? batchExport.destinationType;
  if (facts.typesPlanned.some((type) => appends(typeOf(type)))) return remainder('append_destination');
  // Leftovers of a run are removed by the reconciler, by a later delivery, or never.
  const leftovers = (): DeliveryState | undefined => {
    if (!facts.leftovers) return undefined;
    return facts.leftovers.areGivenUp || facts.isStuck ? remainder('leftover_files') : { state: 'held', runId };
  };
  if (runId === null) {
    // A run that was reading the rows while they were deleted has failed for good.
    const isOwed = newestRun?.errorCode === 'interval_shrank' && !newestRun.isLater && !batchExport.deleted;
    if (isOwed) return stateOfOwed(batchExport, facts);
    return facts.isInDoubt ? remainder('delivery_in_doubt') : leftovers();
  }
  const types = facts.typesBefore.map(typeOf);
  if (types.length > 0 && types.every((type) => type === 'NoOp')) return undefined;
  if (!facts.isHeldHere) {
    if (facts.isHeldElsewhere) return remainder('earlier_place');
    const unclean = stateOfSearch(facts, types);
    if (unclean) return unclean;
    if (facts.superseded) return remainder('superseded_files', facts.superseded.until);
    const areForgotten =
      facts.reason === 'superseded_files' &&
      (facts.keptUntil === null || millisOf(facts.keptUntil) < now - FORGOTTEN_AFTER_MS);
    return areForgotten ? remainder('superseded_files') : (leftovers() ?? { state: 'clean', runId });
  }
  if (batchExport.deleted) return remainder('export_deleted');
  if (facts.place && !deliversTo(batchExport, facts.place)) return remainder('earlier_place');
  if (millisOf(interval.start) < sourceStartOfExport(batchExport)) return remainder('source_expired');
  return stateOfOwed(batchExport, facts);
}

/** @returns undefined if the current delivery was searched, and none of the rows was found; or if it cannot be, because the ids are forgotten */
function stateOfSearch(facts: DeliveryFacts, types: readonly string[]): DeliveryState | undefined {
  const { content, deliveredRunId: runId, search, hasSearchWaited, isSearchable } = facts;
  const isOfRun = search !== null && search.runId === runId;
  if (isOfRun && search.filesRead === null) {
    if (search.rowsFound === 0) return undefined;
    const isMerged = content && mergeOf(content) && types.some((type) => anyDestination(type).takes === 'rows');
    return { state: 'remainder', reason: isMerged ? 'merged_table' : 'rows_found', keptUntil: null, runId };
  }
  // tooth: erasure-search
  if (!isSearchable) return undefined;
  const hasFailed = isOfRun && search.failures >= MAX_SEARCH_FAILURES;
  const state: DeliveryState = hasFailed
    ? { state: 'remainder', reason: 'search_failed', keptUntil: null, runId }
    : { state: 'held', runId };
  return { ...state, isToSearch: hasSearchWaited };
}

/** A delivery that is to be made again. */
function stateOfOwed({ paused }: BatchExport, facts: DeliveryFacts): DeliveryState {
  const runId = facts.deliveredRunId;
  const { requests, hasWaited, isRequested } = facts;
  if (paused) return { state: 'remainder', reason: 'export_paused', runId };
  if (requests >= MAX_REQUESTS && hasWaited && !isRequested)
    return { state: 'remainder', reason: 'redelivery_failed', runId };
  return { state: 'held', runId, isDue: !isRequested && hasWaited && requests < MAX_REQUESTS };
}

/** Whether the export delivers there now. The place of a table names its database only, the key space names the table. */
function deliversTo(batchExport: BatchExport, { type, place, keySpace }: DeliveryPlace): boolean {
  const present = pinnedDestination(batchExport);
  const { model } = batchExport;
  return present.type === type && present.place === place && isSameKeySpace({ keySpace, model }, batchExport);
}

/** Whether rows of a later delivery come in addition. */
function appends(type: string): boolean {
  const destination = anyDestination(type);
  return destination.promises.some(({ when }) => promisesOf(destination, when).redelivery === 'repeats_by_uuid');
}
