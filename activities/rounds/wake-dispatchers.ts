/** Starts the dispatcher of each export with open requests, unless it runs already. */
import type { Engine } from '../engine.ts';
import { eachOrLog, ofExport, shuffled } from '../round-steps.ts';

/** @returns how many exports have open requests */
export async function wakeDispatchers(engine: Engine, signal: AbortSignal): Promise<number> {
  const waiting = shuffled(await engine.stores.runRequests.listExportsWithOpenRequests());
  await eachOrLog(engine, signal, 'a dispatcher is woken later', waiting, ofExport, (id) =>
    engine.executions.wakeDispatcher(id),
  );
  return waiting.length;
}
