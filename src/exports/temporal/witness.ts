/** Calls of the workflow that is the timeline's witness. Each method throws `Unavailable` when Temporal does not answer in time. */
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import { SWAP, WITNESS_WORKFLOW_ID, type Swap, type Testimony } from '../domain/witness.ts';
import { Unavailable } from '../../platform/errors.ts';
import { withDeadline } from '../../platform/temporal/connection.ts';

export type TimelineWitness = ReturnType<typeof timelineWitness>;

export function timelineWitness(client: Client) {
  const { workflow } = client;

  async function start(nonce: string, workflowIdConflictPolicy: WorkflowIdConflictPolicy): Promise<void> {
    await withDeadline(client, () =>
      workflow.start('timelineWitness', {
        workflowId: WITNESS_WORKFLOW_ID,
        taskQueue: TASK_QUEUES.control,
        args: [{ nonce }],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        workflowIdConflictPolicy,
        staticSummary: 'Tells a restored database from the one that delivered',
      }),
    );
  }

  return {
    /** Starts the witness. @returns false when there is one already */
    async start(nonce: string): Promise<boolean> {
      try {
        await start(nonce, WorkflowIdConflictPolicy.FAIL);
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw error;
      }
    },

    /** Ends the witness, if there is one, and starts another. */
    replace: async (nonce: string): Promise<void> => start(nonce, WorkflowIdConflictPolicy.TERMINATE_EXISTING),

    /** Gives the witness `next` if it holds `expected`, or `next` already. Needs a running worker. */
    async swap(swap: Swap): Promise<Testimony> {
      const handle = workflow.getHandle(WITNESS_WORKFLOW_ID);
      try {
        const agrees = await withDeadline(client, () => handle.executeUpdate<boolean, [Swap]>(SWAP, { args: [swap] }));
        return agrees ? 'agrees' : 'differs';
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
      if (!(await isRunning())) return 'missing';
      // The workflow was just continuing as new.
      throw new Unavailable('The witness of the timeline cannot answer right now.');
    },
  };

  async function isRunning(): Promise<boolean> {
    try {
      const { status } = await withDeadline(client, () => workflow.getHandle(WITNESS_WORKFLOW_ID).describe());
      return status.name === 'RUNNING' || status.name === 'PAUSED';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }
}
