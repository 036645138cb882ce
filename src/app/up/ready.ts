/** Waits until the API and the worker are ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../../platform/errors.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { hasPollers } from '../../platform/temporal/pollers.ts';
import { TASK_QUEUES } from '../../exports/domain/task-queues.ts';

const TIMEOUT_MS = 120_000;
const POLL_MS = 100;

type ReadyOptions = { apiUrl: string; temporalAddress: string; namespace: string; signal: AbortSignal };

/**
 * Resolves when the API is ready and a worker polls for work.
 * @throws CommandFailed after two minutes, naming what is missing
 */
export async function waitUntilReady({ apiUrl, temporalAddress, namespace, signal }: ReadyOptions): Promise<void> {
  const { client, close } = connectTemporal({ address: temporalAddress, namespace });
  const waits: [string, () => Promise<boolean>][] = [
    ['the API', () => fetch(`${apiUrl}/_readyz`, { signal }).then(({ ok }) => ok)],
    ['the worker', () => hasPollers(client, TASK_QUEUES.control, 'workflow')],
    ['the worker', () => hasPollers(client, TASK_QUEUES.parts, 'activity')],
  ];
  const deadline = Date.now() + TIMEOUT_MS;
  try {
    for (const [what, isReady] of waits) await waitUntil(isReady, { target: what, deadline, signal });
  } finally {
    await close();
  }
}

/**
 * Asks the API whether deliveries are blocked.
 * @returns the reason; undefined if they are not blocked, or the API does not tell
 */
export async function findBlockReason(apiUrl: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { checks } = (await (await fetch(`${apiUrl}/_readyz`, { signal })).json()) as {
      checks: { deliveries?: string };
    };
    return checks.deliveries === 'ok' ? undefined : checks.deliveries;
  } catch {
    return undefined;
  }
}

type Wait = { target: string; deadline: number; signal: AbortSignal };

async function waitUntil(isReady: () => Promise<boolean>, { target, deadline, signal }: Wait): Promise<void> {
  while (!(await isReady().catch(() => false))) {
    signal.throwIfAborted();
    if (Date.now() > deadline)
      throw new CommandFailed(
        `After ${TIMEOUT_MS / 1000} s ${target} is still not ready; its log in the state folder says why.`,
      );
    await sleep(POLL_MS);
  }
}
