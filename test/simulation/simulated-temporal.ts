/**
 * Temporal in memory, as far as exports use it: schedules that start executions as time passes, their backfill, executions that
 * somebody else works on. It can be away.
 */
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import type { FinishInstruction } from '../../activities/runs/finish-instruction.ts';
import type { PreparedRun } from '../../activities/runs/prepare-run.ts';
import { isoSeconds } from '../../src/exports/domain/instants.ts';
import { WITNESS_WORKFLOW_ID, type Swap } from '../../src/exports/domain/witness.ts';
import { matchingTimes } from './matching-times.ts';

export type SimulatedExecution = {
  workflowId: string;
  runId: string;
  exportId: string;
  /** The nominal time. */
  end: number;
  status: 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TERMINATED' | 'TIMED_OUT';
  cancelled: boolean;
  /** How far its workflow has come: planned, its parts staged or given up, an activity under way. */
  prepared?: PreparedRun;
  ending?: FinishInstruction;
  busyUntil?: number;
};

export type SimulatedTemporal = ReturnType<typeof createSimulatedTemporal>;

type StartOptions = {
  workflowId: string;
  args: [{ exportId: string } | { nonce: string }];
  workflowIdConflictPolicy?: WorkflowIdConflictPolicy;
};

/** Actions that were missed for longer are forgotten: the catch-up window of our schedules. */
const CATCH_UP = 60_000;

export function createSimulatedTemporal() {
  const schedules = new Map<string, ScheduleOptions>();
  const executions = new Map<string, SimulatedExecution[]>();
  const dispatchers = new Set<string>();
  let away = false;
  let count = 0;
  /** The number that the witness of the timeline holds; undefined: there is none. */
  let witness: string | undefined;

  function newest(workflowId: string, runId?: string): SimulatedExecution {
    const all = executions.get(workflowId) ?? [];
    const found = runId === undefined ? all.at(-1) : all.find((one) => one.runId === runId);
    if (!found) throw new WorkflowNotFoundError('no such workflow', workflowId, runId);
    return found;
  }

  /** @returns false when one is running already */
  function begin(exportId: string, end: number): boolean {
    const workflowId = `${exportId}-${isoSeconds(end)}`;
    const all = executions.get(workflowId) ?? [];
    if (all.at(-1)?.status === 'RUNNING') return false;
    const runId = `execution-${++count}`;
    executions.set(workflowId, [...all, { workflowId, runId, exportId, end, status: 'RUNNING', cancelled: false }]);
    return true;
  }

  /** The schedule's own backfill: an instant that its spec does not produce, or that jitter moves, starts nothing. */
  function backfill(id: string, instants: readonly { start: Date; end: Date }[]): void {
    const { spec } = scheduled(id);
    if (spec.jitter) return;
    for (const { start, end } of instants) {
      for (const at of matchingTimes(spec, start.getTime() - 1, end.getTime())) begin(id, at);
    }
  }

  function scheduled(id: string): ScheduleOptions {
    const found = schedules.get(id);
    if (!found) throw new ScheduleNotFoundError('no such schedule', id);
    return found;
  }

  const scheduleHandle = (id: string) => ({
    update: async (change: (former: ScheduleOptions) => ScheduleOptions) => schedules.set(id, change(scheduled(id))),
    describe: async () => ({ ...scheduled(id), info: { recentActions: [], createdAt: new Date(0) } }),
    backfill: async (instants: readonly { start: Date; end: Date }[]) => backfill(id, instants),
    delete: async () => {
      scheduled(id);
      schedules.delete(id);
    },
  });

  const workflowHandle = (workflowId: string, runId?: string) => ({
    describe: async () => {
      const { runId: found, status } = newest(workflowId, runId);
      return { runId: found, status: { name: status } };
    },
    cancel: async () => {
      newest(workflowId, runId).cancelled = true;
    },
    /** As `workflows/timeline-witness.ts`: only the witness has an update. */
    async executeUpdate(_name: string, { args: [{ expected, next }] }: { args: [Swap] }): Promise<boolean> {
      if (workflowId !== WITNESS_WORKFLOW_ID || witness === undefined)
        throw new WorkflowNotFoundError('no such workflow', workflowId, runId);
      const agrees = witness === expected || witness === next;
      if (agrees) witness = next;
      return agrees;
    },
  });

  function beginWitness(nonce: string, policy: WorkflowIdConflictPolicy | undefined): void {
    if (witness !== undefined && policy !== WorkflowIdConflictPolicy.TERMINATE_EXISTING)
      throw new WorkflowExecutionAlreadyStartedError('running', WITNESS_WORKFLOW_ID, 'timelineWitness');
    witness = nonce;
  }

  const client = {
    options: { namespace: 'simulated' },
    async withDeadline<T>(_deadline: number, call: () => Promise<T>): Promise<T> {
      if (away) throw Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
      return call();
    },
    workflowService: { describeNamespace: async () => ({}) },
    async withAbortSignal<T>(_signal: AbortSignal, call: () => Promise<T>): Promise<T> {
      if (away) throw Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
      return call();
    },
    schedule: {
      getHandle: scheduleHandle,
      async *list() {
        for (const { scheduleId, state } of schedules.values()) if (state?.paused) yield { scheduleId };
      },
      async create(options: ScheduleOptions) {
        if (schedules.has(options.scheduleId)) throw new ScheduleAlreadyRunning('there already', options.scheduleId);
        schedules.set(options.scheduleId, options);
      },
    },
    workflow: {
      getHandle: workflowHandle,
      async start(type: string, { workflowId, args: [input], workflowIdConflictPolicy }: StartOptions) {
        if ('nonce' in input) return beginWitness(input.nonce, workflowIdConflictPolicy);
        const end = Date.parse(workflowId.slice(input.exportId.length + 1));
        if (!begin(input.exportId, end)) throw new WorkflowExecutionAlreadyStartedError('running', workflowId, type);
      },
      async signalWithStart(_type: string, { args }: { args: [{ exportId: string }] }) {
        dispatchers.add(args[0].exportId);
      },
    },
  };

  return {
    client: client as unknown as Client,
    /** Ids of exports whose dispatcher is to look at its requests. */
    dispatchers,
    goAway: () => {
      away = true;
    },
    isAway: () => away,
    witness: () => witness,
    comeBack(now: number): void {
      away = false;
      for (const { at, id } of this.due(now - CATCH_UP, now)) begin(id, at);
    },
    /** The workflows that the schedules start after `from` and until `to`, in order. */
    due(from: number, to: number): { at: number; id: string }[] {
      const due = [...schedules.values()].flatMap(({ scheduleId: id, spec, state }) =>
        state?.paused ? [] : matchingTimes(spec, from, to).map((at) => ({ at, id })),
      );
      return due.sort((a, b) => a.at - b.at);
    },
    /** A schedule's action; what it says by then decides. */
    act(id: string, at: number): void {
      const schedule = schedules.get(id);
      if (away || !schedule || schedule.state?.paused) return;
      begin(id, at);
    },
    running: () => [...executions.values()].flat().filter(({ status }) => status === 'RUNNING'),
    forget(): void {
      schedules.clear();
      executions.clear();
      dispatchers.clear();
      away = false;
      witness = undefined;
    },
  };
}
