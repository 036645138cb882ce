/** Shows in a run's row that a request to the destination is being repeated, because its attempt may take a minute or more to fail. */
import type { SessionContext } from '../../src/exports/destinations/contract.ts';
import { faultOf } from '../../src/exports/faults/fault-of.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { Engine } from '../engine.ts';
import { locateFault } from './located-fault.ts';

/** Writes when requests begin to fail, and when they are answered again. A record that cannot be stored is dropped, because it must not end the run. */
export function requestReporter(
  { stores, log }: Pick<Engine, 'stores' | 'log'>,
  run: Run,
): SessionContext['onRequest'] {
  let reported: Error | undefined;
  let writing = Promise.resolve();
  return (failure) => {
    if (Boolean(failure) === Boolean(reported)) return;
    const previous = reported;
    reported = failure;
    writing = writing
      .then(async () => {
        if (failure) {
          const fault = await locateFault(stores, run, faultOf(failure));
          await stores.runs.recordRepeated(run.id, { latestError: failure.message, fault });
        } else if (previous) await stores.runs.clearRepeated(run.id, previous.message);
      })
      .catch((error: unknown) => log.warn({ err: error, run_id: run.id }, 'a repeated request could not be recorded'));
  };
}
