/** Results for strangers with a link: each is kept for a while, however often a page is viewed, and no page waits for long. */
import type { Project } from '../../platform/http/access.ts';
import type { RawAccess } from '../../people/access/raw-data.ts';
import type { ResultRequest, Results } from '../insights/results/results.ts';
import { EMPTY_RESULT_FRESH_MS, isFromFuture } from '../insights/results/freshness.ts';
import { NO_RESULT, type InsightResult, type ResultError } from '../insights/results/result.ts';

/** Least age up to which results, and failures, are shown without computing again. A result that counts as fresh for longer is shown for longer. */
const KEPT_MS = 5 * 60_000;
/** The same least age for results without data. */
const EMPTY_KEPT_MS = 30_000;
/** Longest wait of a page, and so of all its tiles together. */
const LONGEST_WAIT_MS = 8_000;
const MAX_FAILURES = 1_000;

export type SharedResultsOptions = {
  results: Pick<Results, 'getResults'>;
  /** Rights that rules leave to everybody, because a link belongs to no member. */
  loadAccess(projectId: number): Promise<RawAccess>;
  /** Milliseconds since 1970. */
  now?: () => number;
  maxWaitMs?: number;
};

export type SharedResults = (
  project: Pick<Project, 'id'>,
  requested: readonly ResultRequest[],
) => Promise<readonly InsightResult[]>;

export function createSharedResults(options: SharedResultsOptions): SharedResults {
  const { results, loadAccess, now = Date.now, maxWaitMs = LONGEST_WAIT_MS } = options;
  /** Failures by the name of the result, because the cache does not hold them. */
  const failures = new Map<string, { at: number; error: ResultError }>();

  function isOld({ last_refresh: computedAt, cache_target_age: freshUntil }: InsightResult): boolean {
    if (computedAt === null) return true;
    const [from, until] = [Date.parse(computedAt), Date.parse(freshUntil ?? computedAt)];
    if (isFromFuture(from, now())) return true;
    return Math.max(from + (until - from === EMPTY_RESULT_FRESH_MS ? EMPTY_KEPT_MS : KEPT_MS), until) < now();
  }

  /** Never rejects. @returns a result that is not in the cache, such as a failure; undefined when the cache has the new one */
  async function computeResult(
    project: Pick<Project, 'id'>,
    request: ResultRequest,
    access: RawAccess,
  ): Promise<InsightResult | undefined> {
    const [result = NO_RESULT] = await results.getResults(project, [request], 'blocking', access);
    const { filters_hash: name, error } = result;
    if (name === null) return result;
    failures.delete(name);
    if (!error) return undefined;
    if (failures.size === MAX_FAILURES) failures.delete(failures.keys().next().value!);
    failures.set(name, { at: now(), error });
    return result;
  }

  return async (project, requested) => {
    const access = await loadAccess(project.id);
    const cachedResults = await results.getResults(project, requested, 'force_cache', access);
    const timeLimit = Promise.withResolvers<undefined>();
    const timer = setTimeout(timeLimit.resolve, maxWaitMs);

    /** @returns undefined when the cache has a new result */
    async function showResult(result: InsightResult, request: ResultRequest): Promise<InsightResult | undefined> {
      if (request.insight.query === null || result.error || !isOld(result)) return result;
      const failure = failures.get(result.filters_hash ?? '');
      if (failure && failure.at + KEPT_MS > now()) return { ...result, error: failure.error };
      return Promise.race([
        computeResult(project, request, access),
        timeLimit.promise.then(() => timedOutResult(result)),
      ]);
    }

    try {
      const shownResults = await Promise.all(cachedResults.map((row, index) => showResult(row, requested[index]!)));
      if (!shownResults.includes(undefined)) return shownResults.map((row) => row!);
      // Reads all results again together, because the size limit of an answer is for all of them.
      const newResults = await results.getResults(project, requested, 'force_cache', access);
      return newResults.map((row, index) => (row.error ? row : (shownResults[index] ?? row)));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Returns an older result rather than none, because it says how old it is. */
function timedOutResult(cachedResult: InsightResult): InsightResult {
  if (cachedResult.last_refresh !== null) return cachedResult;
  return { ...NO_RESULT, error: { type: 'timeout', message: 'The result is still being computed.' } };
}
