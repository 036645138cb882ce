/** Asks Temporal whether workers poll a task queue. */
import type { Client } from '@temporalio/client';
import { withDeadline } from './connection.ts';

/** `temporal.api.enums.v1.TaskQueueType` */
const TASK_QUEUE_TYPE = { workflow: 1, activity: 2 } as const;

/**
 * Whether a worker polls this task queue, or did so in the last five minutes.
 * @throws Unavailable when Temporal does not answer
 */
export async function hasPollers(
  client: Client,
  taskQueue: string,
  type: keyof typeof TASK_QUEUE_TYPE,
): Promise<boolean> {
  const { namespace } = client.options;
  const { pollers } = await withDeadline(client, () =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: TASK_QUEUE_TYPE[type],
    }),
  );
  return pollers !== null && pollers !== undefined && pollers.length > 0;
}
