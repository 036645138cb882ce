/**
 * Workflow executions of runs and dispatchers: start, look up, cancel. Each method throws `Unavailable` when Temporal does not
 * answer in time.
 */
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import { SearchAttributeType, TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import { dispatcherWorkflowId, runWorkflowId } from '../domain/ids.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import { withDeadline } from '../../platform/temporal/connection.ts';
import { hasPollers } from '../../platform/temporal/pollers.ts';

const SCHEDULED_START = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
const SCHEDULED_BY = defineSearchAttributeKey('TemporalScheduledById', SearchAttributeType.KEYWORD);

/** `status` is Temporal's name for an execution's end; `RUNNING` until then, even while it is paused. */
export type Execution = { runId: string; status: string };

/** `temporal.api.enums.v1.PendingActivityState` */
const EVENT_STARTED = 2;

export function exportExecutions(client: Client) {
  const { workflow } = client;

  return {
    /** The newest execution of the workflow, or the one with the run id; undefined when Temporal knows none. */
    async find(workflowId: string, runId?: string): Promise<Execution | undefined> {
      try {
        const described = await withDeadline(client, () => workflow.getHandle(workflowId, runId).describe());
        const { runId: foundRunId, status } = described;
        return { runId: foundRunId, status: status.name === 'PAUSED' ? 'RUNNING' : status.name };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    },

    /**
     * Starts a run exactly as the schedule would, for an interval that the current schedule does not produce.
     * @returns false when a run of the interval is running already
     */
    async start(exportId: string, end: number): Promise<boolean> {
      const options = {
        workflowId: runWorkflowId(exportId, end),
        taskQueue: TASK_QUEUES.control,
        args: [{ exportId }],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        typedSearchAttributes: new TypedSearchAttributes([
          { key: SCHEDULED_START, value: new Date(end) },
          { key: SCHEDULED_BY, value: exportId },
        ]),
        staticSummary: 'Started by the dispatcher of requests',
      };
      try {
        await withDeadline(client, () => workflow.start('exportRun', options));
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw error;
      }
    },

    /** Wakes the export's dispatcher, or starts it if it is not running. */
    async wakeDispatcher(exportId: string): Promise<void> {
      const options = {
        workflowId: dispatcherWorkflowId(exportId),
        taskQueue: TASK_QUEUES.control,
        args: [{ exportId }],
        signal: 'wake',
        signalArgs: [],
        staticSummary: 'Asks the schedule for retries, backfills and gaps',
      };
      await withDeadline(client, () => workflow.signalWithStart('exportRequests', options));
    },

    /** Whether a worker is working on an execution's pending step; undefined when it has ended, or no step is pending. */
    async isBeingWorkedOn(workflowId: string, runId: string): Promise<boolean | undefined> {
      const { raw } = await withDeadline(client, () => workflow.getHandle(workflowId, runId).describe());
      const [activity] = raw.pendingActivities ?? [];
      if (activity) return Number(activity.state) === EVENT_STARTED;
      return raw.pendingWorkflowTask ? false : undefined;
    },

    /** Whether any worker polls for runs. */
    async hasWorkers(): Promise<boolean> {
      return hasPollers(client, TASK_QUEUES.control, 'workflow');
    },

    /** Asks an execution, by default the newest, to end; delivered data stays. Succeeds if it has ended already. */
    async cancel(workflowId: string, runId?: string): Promise<void> {
      const handle = workflow.getHandle(workflowId, runId);
      await withDeadline(client, () => handle.cancel()).catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
    },
  };
}

export type ExportExecutions = ReturnType<typeof exportExecutions>;
