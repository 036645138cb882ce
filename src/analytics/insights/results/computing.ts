/** Computes and stores missing results, each once at a time, however many callers wait for it. */
import { Unavailable } from '../../../platform/errors.ts';
import { isoMicros } from '../../../platform/time/iso.ts';
import type { ParsedQuery } from '../../queries/parsing/parsed.ts';
import type { QueryResult } from '../../queries/computing/result.ts';
import { createTurns } from '../../queries/turns.ts';
import type { CachedResult, ResultStore } from './results.store.ts';

/** A query with its overlay applied, and the hash that its result is stored under. */
export type Job = { projectId: number; query: ParsedQuery; hash: Buffer };

/** Queries the event store. @throws Unavailable after a time limit */
export type Compute = (project: { id: number }, query: ParsedQuery) => Promise<QueryResult>;

export type Computing = {
  /**
   * @param cachedResult the stored result that is too old; any other result stored meanwhile is returned
   * @throws Unavailable when it takes too long, or did so a moment ago
   */
  compute(job: Job, cachedResult: CachedResult | undefined): Promise<CachedResult>;
  /** Computes even if a result was stored a moment ago. */
  computeAnew(job: Job): Promise<CachedResult>;
  /** Resolves when no computation is running. */
  untilIdle(): Promise<void>;
};

type Options = { cache: ResultStore; compute: Compute; now: () => number; maxConcurrent?: number };

const MAX_CONCURRENT = 3;
const MAX_WAITING = 1_000;
/** Time in which a query that took too long is computed only by a forced refresh, because it would take as long again. */
const REST_MS = 60_000;
const MAX_RESTING = 1_000;

export function createComputing({ cache, compute, now, maxConcurrent = MAX_CONCURRENT }: Options): Computing {
  const turns = createTurns({ maxConcurrent, maxWaiting: MAX_WAITING });
  const running = new Map<string, Promise<CachedResult>>();
  /** Computations that begin when the running one has ended, because that one may have begun before the last events came. */
  const queued = new Map<string, Promise<CachedResult>>();
  /** Queries that took too long a moment ago; only a forced refresh computes them. */
  const resting = new Map<string, { error: Unavailable; until: number }>();

  async function computeNow(job: Job): Promise<CachedResult> {
    const name = keyOf(job);
    const computed_at = isoMicros(now());
    try {
      const result = await compute({ id: job.projectId }, job.query);
      resting.delete(name);
      return { result, computed_at, bytes: Buffer.byteLength(JSON.stringify(result)) };
    } catch (error) {
      if (error instanceof Unavailable) resting.set(name, { error, until: now() + REST_MS });
      if (resting.size > MAX_RESTING) resting.delete(resting.keys().next().value!);
      throw error;
    }
  }

  /** @param isGood whether a result that was stored meanwhile is recent enough */
  async function computeInTurn(job: Job, isGood: (stored: CachedResult) => boolean): Promise<CachedResult> {
    let result: CachedResult | undefined;
    await cache.runInTurn(job, async (stored) => {
      result = stored && isGood(stored) ? stored : undefined;
      if (result) return undefined;
      return (result = await computeNow(job));
    });
    return result!;
  }

  function start(job: Job, isGood: (stored: CachedResult) => boolean): Promise<CachedResult> {
    const name = keyOf(job);
    const result = turns
      .take(job.projectId, () => computeInTurn(job, isGood))
      .finally(() => {
        running.delete(name);
      });
    running.set(name, result);
    return result;
  }

  return {
    async compute(job, known) {
      const recentFailure = resting.get(keyOf(job));
      if (recentFailure && recentFailure.until > now()) throw recentFailure.error;
      return running.get(keyOf(job)) ?? start(job, (stored) => stored.computed_at !== known?.computed_at);
    },

    async computeAnew(job) {
      const name = keyOf(job);
      const runningNow = running.get(name);
      if (!runningNow) return start(job, () => false);
      const queuedResult = queued.get(name);
      if (queuedResult) return queuedResult;
      const result = runningNow
        .catch(() => undefined)
        .then(() => {
          queued.delete(name);
          return running.get(name) ?? start(job, () => false);
        });
      queued.set(name, result);
      return result;
    },

    async untilIdle() {
      while (running.size > 0) await Promise.allSettled([...running.values(), ...queued.values()]);
    },
  };
}

function keyOf({ projectId, hash }: Job): string {
  return `${projectId} ${hash.toString('hex')}`;
}
