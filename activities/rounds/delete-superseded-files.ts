/**
 * Deletes files that left their manifest longer ago than the grace period, a limited number in each round for each export. Exports are
 * handled concurrently, each within deadlines. If a destination has refused deletes for a day, its export keeps every file from then on.
 */
import type { DueFiles } from '../../src/exports/deliveries/superseded-files.store.ts';
import { forLog } from '../../src/platform/temporal/failures.ts';
import type { Engine } from '../engine.ts';
import { openSessionToSettle, requirePlan } from '../runs/open-session.ts';
import { exportLogFields, runWithDeadline } from '../round-steps.ts';

const EXPORTS_AT_ONCE = 10;
/** Files of one export, in one round. */
const FILES_PER_ROUND = 100;
/** Time limit for the files that one run recorded. */
const RUN_MS = 10_000;
/** Time after which a round begins no further run's files; the next round continues. */
const BEGIN_WITHIN_MS = 10_000;

const SUMMARY =
  'The destination has not permitted deleting files for a day, so files that re-deliveries replaced are kept. ' +
  'Permit it and save the destination again, or delete such files yourself; readers follow the manifest either way.';

/** @returns how many files are gone */
export async function deleteSupersededFiles(engine: Engine, signal: AbortSignal): Promise<number> {
  const { supersededFiles } = engine.stores;
  const due = await supersededFiles.listDueFiles(engine.fileGraceHours, FILES_PER_ROUND);
  const exports = [...Map.groupBy(due, ({ exportId }) => exportId).values()];
  const beginUntil = performance.now() + BEGIN_WITHIN_MS;
  let deleted = 0;
  const worker = async () => {
    for (let filesByRun = exports.pop(); filesByRun; filesByRun = exports.pop())
      for (const files of filesByRun) {
        signal.throwIfAborted();
        if (performance.now() > beginUntil) return;
        deleted += await deleteOrPostpone(engine, files, signal);
      }
  };
  await Promise.all(Array.from({ length: EXPORTS_AT_ONCE }, worker));
  const abandoned = await supersededFiles.giveUp();
  if (abandoned > 0) engine.log.warn({ files: abandoned }, 'superseded files could not be deleted: given up');
  return deleted;
}

async function deleteOrPostpone(engine: Engine, files: DueFiles, signal: AbortSignal): Promise<number> {
  try {
    return await runWithDeadline(RUN_MS, signal, async (deadline) => deleteOfRun(engine, files, deadline));
  } catch (error) {
    signal.throwIfAborted();
    engine.log.warn(
      { ...forLog(error), ...exportLogFields(files.exportId) },
      'superseded files could not be deleted: a later round tries again',
    );
    await engine.stores.supersededFiles.postpone(files.runId);
    return 0;
  }
}

/** @throws DeliveriesBlocked: this database's knowledge of the destination may be outdated */
async function deleteOfRun(engine: Engine, { exportId, runId, keys }: DueFiles, signal: AbortSignal): Promise<number> {
  await engine.timeline.assertDeliverable();
  const { supersededFiles, runs } = engine.stores;
  const session = await openSessionToSettle(engine, requirePlan(await runs.getById(runId)), signal);
  try {
    const { goneKeys, isDenied } = (await session.deleteSuperseded?.(
      () => supersededFiles.filterStillDue(runId, engine.fileGraceHours, keys),
      () => supersededFiles.listKeys(runId),
    )) ?? { goneKeys: [], isDenied: false };
    await supersededFiles.forget(runId, goneKeys);
    if (isDenied && (await supersededFiles.postpone(runId))) await keepFiles(engine, exportId);
    return goneKeys.length;
  } finally {
    await session.close();
  }
}

async function keepFiles({ stores }: Engine, exportId: string): Promise<void> {
  await stores.inTransaction(async (tx) => {
    if (!(await tx.health.begin(exportId, 'keeping_files'))) return;
    await tx.supersededFiles.forgetFailures(exportId);
    await tx.logs.append({ batchExportId: exportId, runId: null, level: 'WARNING', message: SUMMARY });
    await tx.outbox.add(exportId, { kind: 'keeping_files', summary: SUMMARY, details: {} });
  });
}
