/** One run: delivers one data interval of one batch export. Started by the export's schedule, or directly with the same input and attributes. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import type { Activities } from '../activities/index.ts';
import type { PreparedRun } from '../activities/runs/prepare-run.ts';
import type { RunOutcome } from '../activities/runs/finish-run.ts';
import type { FinishInstruction } from '../activities/runs/finish-instruction.ts';
import type { Fault } from '../src/platform/errors.ts';
import {
  FINISHING,
  MAX_SINGLE_PARTS,
  MOVING,
  MOVING_RANGE,
  PARTS_AT_ONCE,
  PARTS_IN_RANGE,
  PLANNING,
} from './policies.ts';

export type ExportRunInput = { exportId: string };

const NOMINAL_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

const { prepareRun } = proxyActivities<Activities>(PLANNING);
const { exportPart } = proxyActivities<Activities>(MOVING);
const { exportParts } = proxyActivities<Activities>(MOVING_RANGE);
const { finishRun } = proxyActivities<Activities>(FINISHING);

/**
 * @returns the delivery's outcome. Fails or is cancelled in Temporal according to the run's row. A superseded run fails although its row is
 * `Cancelled`, because a workflow cannot request its own cancellation.
 */
export async function exportRun({ exportId }: ExportRunInput): Promise<RunOutcome> {
  const run = await prepareRun({ exportId, end: nominalTime() });
  setCurrentDetails(`${sentence(run)}: ${run.rows} rows in ${run.parts} parts`);
  const instruction = await stageParts(run);
  const outcome = await CancellationScope.nonCancellable(() => finish(run, instruction));
  setCurrentDetails(`${sentence(run)}: ${outcome.status}, ${outcome.rows} rows`);
  return conclude(outcome, instruction);
}

/** The end of the data interval. Never the present time: a late start delivers the same interval. */
function nominalTime(): string {
  const nominal = workflowInfo().typedSearchAttributes.get(NOMINAL_TIME);
  if (nominal) return nominal.toISOString();
  throw ApplicationFailure.nonRetryable(
    'A run is started by its export’s schedule, which gives it a nominal time.',
    'NotScheduled',
  );
}

function sentence({ kind, start, end }: PreparedRun): string {
  return `${kind} run for [${start}, ${end})`;
}

/** Parts that one activity stages: half-open. */
type Range = { from: number; to: number };

/** Stages a range; a run of a version without ranges has one activity for each part, whatever their number. */
function stageRange(runId: string, { from, to }: Range): Promise<unknown> {
  return to - from === 1 ? exportPart({ runId, part: from }) : exportParts({ runId, from, to });
}

function rangesOf({ parts, readings }: PreparedRun): Range[] {
  const length = readings === undefined && parts > MAX_SINGLE_PARTS && patched('part-ranges') ? PARTS_IN_RANGE : 1;
  const ends =
    readings ?? Array.from({ length: Math.ceil(parts / length) }, (_, n) => Math.min((n + 1) * length, parts));
  return ends.map((to, n) => ({ from: ends[n - 1] ?? 0, to }));
}

/** Stages parts, several at once; the first failure stops the others. */
async function stageParts(run: PreparedRun): Promise<FinishInstruction> {
  const { runId, parts } = run;
  const waiting = rangesOf(run);
  let stagedParts = 0;
  const worker = async () => {
    for (let range = waiting.shift(); range; range = waiting.shift()) {
      await stageRange(runId, range);
      stagedParts += range.to - range.from;
      setCurrentDetails(`${sentence(run)}: ${stagedParts} of ${parts} parts staged, ${run.rows} rows in all`);
    }
  };
  const scope = new CancellationScope();
  try {
    await scope.run(async () => {
      const workers = Array.from({ length: Math.min(waiting.length, PARTS_AT_ONCE) }, worker);
      await Promise.all(workers).catch(async (error: unknown) => {
        waiting.length = 0;
        scope.cancel();
        await Promise.allSettled(workers);
        throw error;
      });
    });
    return { how: 'commit' };
  } catch (error) {
    return giveUpInstruction(error);
  }
}

async function finish({ runId }: PreparedRun, instruction: FinishInstruction): Promise<RunOutcome> {
  try {
    return await finishRun({ runId, ending: instruction });
  } catch (error) {
    return finishRun({ runId, ending: giveUpInstruction(error) });
  }
}

/** @returns how to end a run after an error; the message of an activity's failure was written for users */
function giveUpInstruction(error: unknown): FinishInstruction {
  if (isCancellation(error)) return { how: 'cancelled' };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    const fault = cause.details?.[0] as Fault | undefined;
    return { how: 'failed', type: cause.type ?? 'Error', message: cause.message, ...(fault && { fault }) };
  }
  return { how: 'failed', type: 'TimedOut', message: 'No worker finished the work in time.' };
}

function conclude(outcome: RunOutcome, instruction: FinishInstruction): RunOutcome {
  const { status, message = status } = outcome;
  if (status === 'Completed') return outcome;
  if (instruction.how === 'cancelled') throw new CancelledFailure(message);
  const failure = ApplicationFailure.nonRetryable(message, status);
  // The stack is removed because it names files of the server.
  failure.stack = '';
  throw failure;
}
