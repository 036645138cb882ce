/** Starts the dispatcher of each export with open requests, unless it runs already. */
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, exportLogFields, shuffle } from '../round-steps.ts';

/** @returns how many exports have open requests */
export async function wakeDispatchers(engine: Engine, signal: AbortSignal): Promise<number> {
  const exportIds = shuffle(await engine.stores.runRequests.listExportsWithOpenRequests());
  await forEachLoggingFailures(
    engine,
    signal,
    'a dispatcher could not be woken: the next round tries again',
    exportIds,
    exportLogFields,
    (id) => engine.executions.wakeDispatcher(id),
  );
  return exportIds.length;
}
