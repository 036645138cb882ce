/** Rows travel on a queue of their own, so that how many do at once in one worker never delays planning and asking. */
export const TASK_QUEUES = { control: 'sluice-control', parts: 'sluice-parts' } as const;
