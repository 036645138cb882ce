/**
 * One round over an export's oldest open requests: asks the schedule for what is not asked yet, starts directly what the schedule
 * does not start, closes what is answered. Safe to repeat; only the export's dispatcher calls it, so no two rounds overlap.
 */
import { millisOf } from '../src/exports/domain/instants.ts';
import { runWorkflowId } from '../src/exports/domain/ids.ts';
import { isProducedByPresentSpec, type Tiling } from '../src/exports/domain/intervals.ts';
import type { BatchExport } from '../src/exports/batch-exports.store.ts';
import type { ExportRequest } from '../src/exports/requests.store.ts';
import type { Execution } from '../src/temporal/executions.ts';
import type { Attempt } from './activity.ts';
import { closeLost } from './close-lost-runs.ts';
import type { Engine } from './engine.ts';

export type DispatchInput = { exportId: string };
/** `progressed`: something changed in this round, so the next one is worth having soon. */
export type DispatchRound = { open: number; progressed: boolean };

/** How many runs of one export may be under way on request; further ones wait. */
const AT_ONCE = 10;
/** How long the schedule may take to start what it was asked for before it is started directly. */
const PATIENCE_MS = 15_000;

export async function dispatchRequests(
  engine: Engine,
  _attempt: Attempt,
  { exportId }: DispatchInput,
): Promise<DispatchRound> {
  const { stores } = engine;
  const batchExport = await stores.batchExports.find(exportId);
  if (!batchExport) {
    await stores.requests.closeAll(exportId);
    return { open: 0, progressed: true };
  }
  const before = await stores.requests.countOpen(exportId);
  if (before === 0) return { open: 0, progressed: false };
  const requests = await stores.requests.oldestOpen(exportId, AT_ONCE);
  const tiling = await stores.batchExports.tiling(exportId);
  const looked = await Promise.all(requests.map(async (request) => look(engine, request)));
  const asked = await ask(engine, batchExport, tiling, looked);
  const open = await stores.requests.countOpen(exportId);
  return { open, progressed: asked || open < before };
}

type Looked = {
  request: ExportRequest;
  end: number;
  wants: 'nothing' | 'asking' | 'starting';
  newest: Execution | undefined;
};

/** What a request needs now, judged by the newest execution of its interval. */
async function look(engine: Engine, request: ExportRequest): Promise<Looked> {
  const end = millisOf(request.end);
  const newest = await engine.executions.find(runWorkflowId(request.exportId, end));
  const looked = (wants: Looked['wants']): Looked => ({ request, end, wants, newest });

  // A run under way may have been planned before the request: it is waited for; its end closes the request or leaves it open.
  if (newest?.status === 'RUNNING') return looked('nothing');
  if (request.askedAfter === null) return looked('asking');
  if ((newest?.runId ?? '') === request.askedAfter) {
    return looked((request.askedMillisAgo ?? 0) > PATIENCE_MS ? 'starting' : 'nothing');
  }
  return looked((await settle(engine, request, newest)) ? 'nothing' : 'asking');
}

/**
 * The execution that the request asked for has closed, and so is the request, however it ended: unless somebody wanted it again
 * after the run was planned. @returns whether it is closed
 */
async function settle({ stores }: Engine, request: ExportRequest, newest: Execution | undefined): Promise<boolean> {
  const run = newest && (await closeLost(stores, newest));
  if (run?.plan && run.plan.cutoff < request.wantedAt) return false;
  await stores.requests.close(request, run?.id ?? null);
  return true;
}

/** One call of the schedule's backfill for all that it would start; the others are started as the schedule would. */
async function ask(
  engine: Engine,
  batchExport: BatchExport,
  tiling: Tiling,
  looked: readonly Looked[],
): Promise<boolean> {
  const { stores, schedules, executions } = engine;
  const wanted = looked.filter(({ wants }) => wants !== 'nothing');
  if (wanted.length === 0) return false;
  const bySchedule = wanted.filter(
    ({ wants, end }) => wants === 'asking' && isStartedBySchedule(batchExport, tiling, end),
  );
  // Marked first: a call whose answer is lost is waited for, then started directly; never asked twice.
  for (const { request, newest } of wanted.filter(({ wants }) => wants === 'asking')) {
    await stores.requests.markAsked(request.id, newest?.runId ?? '');
  }
  if (bySchedule.length > 0)
    await schedules.backfill(
      batchExport.id,
      bySchedule.map(({ end }) => end),
    );
  for (const one of wanted.filter((each) => !bySchedule.includes(each))) {
    if (await executions.start(batchExport.id, one.end)) await stores.requests.markStartedDirectly(one.request.id);
  }
  return true;
}

/** Whether the schedule, as it is now, has an action at that instant. */
function isStartedBySchedule({ startAt, endAt }: BatchExport, tiling: Tiling, end: number): boolean {
  if (startAt !== null && end < millisOf(startAt)) return false;
  if (endAt !== null && end > millisOf(endAt)) return false;
  return isProducedByPresentSpec(tiling, end);
}
