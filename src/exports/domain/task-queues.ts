/** Parts have their own queue, so a worker's limit of concurrent parts never delays planning and requests. */
export const TASK_QUEUES = { control: 'sluice-control', parts: 'sluice-parts' } as const;
