/** A worker that does what the workflow of a run does, activity by activity, in the weather that its destination has. */
import type { Attempt } from '../../activities/activity.ts';
import type { Engine, Step } from '../../activities/engine.ts';
import { exportPart } from '../../activities/runs/export-part.ts';
import { finishRun } from '../../activities/runs/finish-run.ts';
import { type FinishInstruction } from '../../activities/runs/finish-instruction.ts';
import { prepareRun } from '../../activities/runs/prepare-run.ts';
import {
  DestinationRejected,
  DestinationUnavailable,
  InvalidInput,
  NotFound,
  SluiceError,
  Unavailable,
} from '../../src/platform/errors.ts';
import { toFailure } from '../../src/platform/temporal/failures.ts';
import type { Clock } from './clock.ts';
import type { SimulatedExecution } from './simulated-temporal.ts';

/**
 * How runs go: `slow` takes a while for each activity, so that much happens while a run is under way; `silent` leaves them where they
 * are; `crashing` takes worker and workflow away at some step; `freezing` takes the workflow away from a worker that goes on later,
 * where it was.
 */
export const WEATHERS = ['fine', 'slow', 'rejecting', 'unavailable', 'crashing', 'freezing', 'silent'] as const;
export type Weather = (typeof WEATHERS)[number];

const SLOW_MILLIS = 25 * 60_000;
const CRASHES = [
  'after-plan',
  'upload-begun',
  'part-0-end',
  'before-commit',
  'file-0',
  'manifest',
  'after-commit',
  'before-delivered',
];
const FREEZES = ['before-committing', 'before-commit', 'file-0', 'manifest'];
const OUTAGES = ['part-0-begin', 'before-commit', 'file-0', 'manifest'];

/** The worker is gone: no activity says so. */
class Killed extends Error {}

/** Each interval's trouble is at another step. */
function stepOf(steps: readonly string[], end: string): string {
  return steps[Math.floor(Date.parse(end) / 60_000 / 7) % steps.length]!;
}

const ignore = () => {};

export function createSimulatedWorker(engine: Engine, clock: Clock) {
  const { signal } = new AbortController();
  const refused: string[] = [];
  let weather: Weather = 'fine';
  /** Of activities that stand still. */
  let frozen: { thaw(): void; done: Promise<unknown> }[] = [];
  let freezing: PromiseWithResolvers<void> | undefined;
  let onPlanned: (runId: string) => void = ignore;
  /** Of a life whose database was restored. */
  let restored = false;

  async function onStep({ name, end }: Step): Promise<void> {
    if (weather === 'rejecting' && name === 'before-committing')
      throw new DestinationRejected('The destination says no.');
    if (weather === 'unavailable' && name === stepOf(OUTAGES, end))
      throw new DestinationUnavailable('The destination is away.');
    if (weather === 'freezing' && freezing && name === stepOf(FREEZES, end)) {
      const gate = Promise.withResolvers<void>();
      frozen.push({ thaw: gate.resolve, done: Promise.resolve() });
      freezing.resolve();
      freezing = undefined;
      return gate.promise;
    }
    if (weather === 'crashing' && name === stepOf(CRASHES, end)) throw new Killed('the worker was killed');
  }

  /** One activity, or why there will be none. */
  async function act(execution: SimulatedExecution): Promise<void> {
    const attempt: Attempt = {
      workflowId: execution.workflowId,
      workflowRunId: execution.runId,
      number: 1,
      signal,
      nextTryInSeconds: () => undefined,
    };
    const { prepared, ending } = execution;
    if (!prepared) {
      const input = { exportId: execution.exportId, end: new Date(execution.end).toISOString() };
      execution.prepared = await prepareRun(engine, attempt, input);
      onPlanned(execution.prepared.runId);
    } else if (ending) {
      const { status } = await finishRun(engine, attempt, { runId: prepared.runId, ending });
      execution.status = status === 'Completed' ? 'COMPLETED' : status === 'Cancelled' ? 'CANCELLED' : 'FAILED';
    } else {
      for (let part = 0; part < prepared.parts && !execution.cancelled; part++)
        await exportPart(engine, attempt, { runId: prepared.runId, part });
      execution.ending = execution.cancelled ? { how: 'cancelled' } : { how: 'commit' };
    }
  }

  /** An activity that freezes has lost its workflow, and what becomes of it later is nothing that the workflow hears of. */
  async function actOrFreeze(execution: SimulatedExecution): Promise<void> {
    const gate = Promise.withResolvers<void>();
    freezing = gate;
    const attempted = { ...execution };
    const done = act(attempted);
    const isFrozen = await Promise.race([done.then(() => false), gate.promise.then(() => true)]);
    freezing = undefined;
    if (!isFrozen) {
      Object.assign(execution, attempted);
      return;
    }
    frozen.at(-1)!.done = done.catch((error: unknown) => refuseOthers(execution, error));
    execution.status = 'TIMED_OUT';
  }

  /** A session that thaws is refused with an error of ours, or killed: every other error is a fault. */
  function refuseOthers({ workflowId }: SimulatedExecution, error: unknown): void {
    if (error instanceof SluiceError || error instanceof Killed) return;
    refused.push(`${workflowId}: ${(error as Error).stack}`);
  }

  /** As the workflow takes an activity's failure. @returns whether the activity is tried again later */
  function fail(execution: SimulatedExecution, error: unknown): boolean {
    if (error instanceof Killed) {
      execution.status = execution.end % 2 === 0 ? 'TERMINATED' : 'TIMED_OUT';
    } else if (!execution.prepared && error instanceof Unavailable) {
      // Deliveries are blocked.
      return true;
    } else if (!execution.prepared || execution.ending?.how === 'failed') {
      execution.status = 'FAILED';
      if (!mayBeRefused(error)) refused.push(`${execution.workflowId}: ${(error as Error).stack}`);
    } else {
      const { message, name } = toFailure(error);
      execution.ending = {
        how: 'failed',
        type: error instanceof Error ? error.name : name,
        message,
      } satisfies FinishInstruction;
    }
    return false;
  }

  /** A deleted export has no runs any more, nor has one that a restore forgot; a schedule may have one's later cadence. */
  function mayBeRefused(error: unknown): boolean {
    return error instanceof NotFound || (restored && error instanceof InvalidInput);
  }

  return {
    onStep,
    /** Runs that could not be planned or ended, and why. */
    refused,
    setWeather(to: Weather): void {
      weather = to;
    },
    /** Called when a run has its plan. */
    whenPlanned(call: typeof onPlanned): void {
      onPlanned = call;
    },
    /** Frozen sessions go on. */
    async thaw(): Promise<void> {
      const all = frozen;
      frozen = [];
      for (const { thaw, done } of all) {
        thaw();
        await done;
      }
    },
    /** The database was restored: no worker of before goes on. */
    restart(): void {
      restored = true;
      frozen = [];
      freezing = undefined;
    },
    async forget(): Promise<void> {
      await this.thaw();
      restored = false;
      refused.length = 0;
      weather = 'fine';
    },

    /** As far as the weather lets it come. */
    async work(execution: SimulatedExecution): Promise<void> {
      while (execution.status === 'RUNNING') {
        if (weather === 'silent' && execution.prepared && !execution.cancelled) return;
        if (weather === 'slow' && clock.now() < (execution.busyUntil ?? 0)) return;
        const acted = weather === 'freezing' ? actOrFreeze(execution) : act(execution);
        const waits = await acted.then(
          () => false,
          (error: unknown) => fail(execution, error),
        );
        if (waits) return;
        if (weather === 'slow') execution.busyUntil = clock.now() + SLOW_MILLIS;
      }
    },
  };
}
