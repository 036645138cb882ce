/**
 * Settles intervals whose run ended without finishing its delivery or taking it back. If the commit had begun, only the destination
 * knows whether it succeeded. Exports are settled concurrently, each interval within a deadline, so a destination that does not
 * answer delays only its own intervals; the reconciler retries them after growing delays, and gives up after a week.
 */
import type { Receipt } from '../../src/exports/destinations/contract.ts';
import { DestinationUnavailable, Unavailable } from '../../src/platform/errors.ts';
import { millisOf } from '../../src/exports/domain/instants.ts';
import { isGap, isGivenUp, mayBecomeGap } from '../../src/exports/domain/statuses.ts';
import type { UnsettledEntry } from '../../src/exports/deliveries/ledger.store.ts';
import { pinnedDestination } from '../../src/exports/integrations/pinned-destination.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import { forLog } from '../../src/platform/temporal/failures.ts';
import type { Attempt } from '../activity.ts';
import { completeRun } from '../runs/close-run.ts';
import type { Engine } from '../engine.ts';
import { openSessionToSettle, requirePlan, type PlannedRun } from '../runs/open-session.ts';
import { postponeSettling } from './postpone-settling.ts';
import { runWithDeadline } from '../round-steps.ts';

export type SettlingCounts = { delivered: number; requested: number };

const EXPORTS_AT_ONCE = 10;
/** Time limit for one interval. */
const INTERVAL_MS = 10_000;
/** Time after which a round begins no further interval; the next round continues. */
const BEGIN_WITHIN_MS = 10_000;

/** @returns how many intervals were found delivered, and how many are requested anew */
export async function settleIntervals(engine: Engine, { signal }: Pick<Attempt, 'signal'>): Promise<SettlingCounts> {
  const counts: SettlingCounts = { delivered: 0, requested: 0 };
  const exports = [
    ...Map.groupBy(await engine.stores.ledger.listIntervalsToSettle(), ({ exportId }) => exportId).values(),
  ];
  const beginUntil = performance.now() + BEGIN_WITHIN_MS;
  const worker = async () => {
    for (let entries = exports.pop(); entries; entries = exports.pop())
      await settleExport(engine, entries, counts, beginUntil, signal);
  };
  await Promise.all(Array.from({ length: EXPORTS_AT_ONCE }, worker));
  await engine.stores.troubles.prune();
  return counts;
}

/** Settles the export's intervals one after another, until the destination does not answer. */
async function settleExport(
  engine: Engine,
  entries: UnsettledEntry[],
  counts: SettlingCounts,
  beginUntil: number,
  signal: AbortSignal,
): Promise<void> {
  for (let entry = entries.pop(); entry && performance.now() < beginUntil; entry = entries.pop()) {
    signal.throwIfAborted();
    try {
      const outcome = await settleWithinDeadline(engine, entry, signal);
      if (outcome) counts[outcome] += 1;
    } catch (error) {
      signal.throwIfAborted();
      const { exportId, end } = entry;
      engine.log.warn(
        { ...forLog(error), batch_export_id: exportId, interval_end: end },
        'an interval could not be settled: a later round tries again',
      );
      const isUnreachable = error instanceof DestinationUnavailable || error instanceof Unavailable;
      await postponeSettling(engine, isUnreachable ? [entry, ...entries.splice(0)] : [entry]);
    }
  }
}

async function settleWithinDeadline(engine: Engine, entry: UnsettledEntry, signal: AbortSignal) {
  const outcome = await runWithDeadline(INTERVAL_MS, signal, (deadline) => settle(engine, entry, deadline));
  if (await engine.stores.ledger.isStillUnsettled(entry)) await postponeSettling(engine, [entry]);
  return outcome;
}

async function settle(
  engine: Engine,
  entry: UnsettledEntry,
  signal: AbortSignal,
): Promise<'delivered' | 'requested' | undefined> {
  const run = await engine.stores.runs.getById(entry.runId);
  if (!run.plan) return undefined;
  const planned = requirePlan(run);
  const session = await openSessionToSettle(engine, planned, signal);
  let remainingFiles: readonly string[];
  try {
    const receipt = entry.state === 'committing' ? await session.findReceipt() : undefined;
    if (receipt) {
      await recordDelivery(engine, planned, receipt);
      return 'delivered';
    }
    remainingFiles = await session.discard();
  } finally {
    await session.close();
  }
  // No later delivery begins the grace period of files that this run recorded, unless it is the newest and its interval is delivered again.
  if (!entry.isNewestRun || entry.state === 'delivered') await engine.stores.supersededFiles.beginGrace(entry);
  const nextStep = entry.state === 'committing' ? await nextTry(engine, run) : undefined;
  if (nextStep === 'later') return undefined;
  // The request comes first: after a crash in between, the interval is still unsettled and the next round repeats this.
  const isRequested = nextStep === 'now' && (await requestAgain(engine, entry));
  if (nextStep) await engine.stores.ledger.reopen(entry);
  if (remainingFiles.length > 0 && (!entry.isNewestRun || (await hasMovedAway(engine, planned))))
    await abandonFiles(engine, planned, remainingFiles, session.location);
  return isRequested ? 'requested' : undefined;
}

/** Whether the export no longer delivers where the run did. */
async function hasMovedAway({ stores }: Engine, { run, plan }: PlannedRun): Promise<boolean> {
  const batchExport = await stores.batchExports.getIncludingDeleted(run.batchExportId);
  if (batchExport.deleted) return true;
  return plan.destination !== undefined && plan.destination.place !== pinnedDestination(batchExport).place;
}

/**
 * Gives up files that no later commit will overwrite or remove, so that their records do not keep the place reserved: visible files under
 * stable names, which are never deleted, and files of a table, which a frozen commit may still add to the table when it resumes.
 */
async function abandonFiles(
  { stores }: Engine,
  { run }: PlannedRun,
  remainingFiles: readonly string[],
  location: string,
): Promise<void> {
  const message =
    `The commit was interrupted at ${location}, and no later one can remove what it left: ` +
    `${remainingFiles.length === 1 ? 'one file stays there that belongs' : `${remainingFiles.length} files stay there that belong`} to no delivery.`;
  await stores.inTransaction(async (tx) => {
    await tx.artifacts.giveUp(remainingFiles);
    await tx.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'WARNING', message });
  });
}

/**
 * Decides when to deliver again an interval whose run broke off during its commit without success. The delays and limits are those of
 * other failures.
 */
async function nextTry({ stores }: Engine, run: Run): Promise<'now' | 'later' | 'never'> {
  const { status, batchExportId, end, finishedAt } = run;
  if (status === 'Failed' || (await stores.batchExports.getIncludingDeleted(batchExportId)).deleted) return 'never';
  if (!mayBecomeGap(status)) return 'now';
  const failures = await stores.gaps.countFailures(batchExportId, end);
  if (isGivenUp(status, failures)) return 'never';
  const now = millisOf(await stores.batchExports.now());
  const isDueForRetry = isGap(status, failures, now - millisOf(finishedAt ?? run.createdAt));
  return isDueForRetry ? 'now' : 'later';
}

/** Closes a run as `Completed`, because the destination holds its delivery. */
async function recordDelivery({ stores }: Engine, { run, lease }: PlannedRun, receipt: Receipt): Promise<void> {
  await stores.inTransaction(async (tx) => {
    await tx.ledger.markDelivered(lease, receipt);
    await completeRun(tx, run, { receipt, cursor: run.end });
    const message = `The commit had succeeded: ${receipt.rows} rows are at ${receipt.location}`;
    await tx.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'INFO', message });
  });
}

async function requestAgain({ stores }: Engine, entry: UnsettledEntry): Promise<boolean> {
  if (await stores.runRequests.findOpenKind(entry.exportId, entry.end)) return false;
  const interval = { start: millisOf(entry.start), end: millisOf(entry.end) };
  await stores.runRequests.open(entry.exportId, [interval], 'gap');
  return true;
}
