/** Shows in a run's row that a request to the destination is being repeated, because the attempt may go on for a minute or more before it fails. */
import type { SessionContext } from '../../src/exports/destinations/contract.ts';
import { faultOf } from '../../src/exports/faults/fault-of.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { Engine } from '../engine.ts';
import { addFaultField } from './add-fault-field.ts';

/** Time without a new failure after which the row no longer shows the last one. Not zero, because a busy destination refuses some of many requests. */
const CLEAR_AFTER_MS = 3_000;

/** `close` stores the last state. A record that cannot be stored is dropped, because it must not end the run. */
export type RequestReporter = Pick<SessionContext, 'onRequest'> & { close(): Promise<void> };

/** @param run as it was read before the session */
export function requestReporter({ stores, log }: Pick<Engine, 'stores' | 'log'>, run: Run): RequestReporter {
  /** The row's failure that this session clears: one that it stored, or that an attempt left when it was cut off. Other sessions clear theirs. */
  let stored = run.nextTryAt === null ? run.latestError : null;
  let wanted: Error | undefined;
  let wantedAt = -Infinity;
  let writing: Promise<void> | undefined;
  let clearTimer: NodeJS.Timeout | undefined;

  async function store(failure: Error | undefined): Promise<void> {
    if (failure) {
      const fault = await addFaultField(stores, run, faultOf(failure));
      if (await stores.runs.recordRepeated(run.id, { latestError: failure.message, fault })) stored = failure.message;
    } else if (stored !== null) {
      await stores.runs.clearRepeated(run.id, stored);
      stored = null;
    }
  }

  /** Writes the wanted failure, one write at a time, until the row has the newest: `wanted` may change during a write. */
  async function write(): Promise<void> {
    let written: Error | undefined;
    try {
      do {
        written = wanted;
        await store(written);
      } while (written !== wanted);
    } catch (error) {
      log.warn({ err: error, run_id: run.id }, 'a repeated request could not be recorded');
    } finally {
      writing = undefined;
    }
  }

  function requestWrite(failure?: Error): void {
    wanted = failure;
    wantedAt = performance.now();
    writing ??= write();
  }

  function stopClearTimer(): void {
    clearTimeout(clearTimer);
    clearTimer = undefined;
  }

  return {
    onRequest(failure) {
      if (failure) {
        stopClearTimer();
        // A lasting failure is recorded again after a while, because another session of the run may have cleared it.
        if (!wanted || performance.now() - wantedAt >= CLEAR_AFTER_MS) requestWrite(failure);
      } else if (wanted !== undefined || stored !== null) {
        clearTimer ??= setTimeout(() => {
          stopClearTimer();
          requestWrite();
        }, CLEAR_AFTER_MS).unref();
      }
    },
    async close() {
      if (clearTimer) requestWrite();
      stopClearTimer();
      await writing;
    },
  };
}
