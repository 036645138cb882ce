/** Results for strangers: however often they look, nothing is computed more often than every few minutes, and nobody waits for long. */
import type { Project } from '../../platform/http/access.ts';
import type { RawAccess } from '../../people/access/raw-data.ts';
import type { ResultRequest, Results } from '../insights/results/results.ts';
import { EMPTY_MS } from '../insights/results/freshness.ts';
import { NO_RESULT, type InsightResult, type ResultError } from '../insights/results/result.ts';

/** Younger results are shown as they are, failures too. */
const KEPT_MS = 5 * 60_000;
/** Of a result that says nothing. */
const EMPTY_KEPT_MS = 30_000;
/** Of a page, and so of all its tiles together. */
const LONGEST_WAIT_MS = 8_000;
const MAX_FAILURES = 1_000;

export type SharedResultsOptions = {
  results: Pick<Results, 'resultsOf'>;
  /** Rights that rules leave to everybody: a link is for no member in particular. */
  accessOf(projectId: number): Promise<RawAccess>;
  /** Milliseconds since 1970. */
  now?: () => number;
  longestWaitMs?: number;
};

export type SharedResults = (
  project: Pick<Project, 'id'>,
  requested: readonly ResultRequest[],
) => Promise<readonly InsightResult[]>;

export function createSharedResults(options: SharedResultsOptions): SharedResults {
  const { results, accessOf, now = Date.now, longestWaitMs = LONGEST_WAIT_MS } = options;
  /** By the name of the result: those are not in the cache. */
  const failures = new Map<string, { at: number; error: ResultError }>();

  function isOld({ last_refresh: computedAt, cache_target_age: freshUntil }: InsightResult): boolean {
    if (computedAt === null) return true;
    const [from, until] = [Date.parse(computedAt), Date.parse(freshUntil ?? computedAt)];
    return Math.max(from + (until - from === EMPTY_MS ? EMPTY_KEPT_MS : KEPT_MS), until) < now();
  }

  /** Never rejects. @returns what is not in the cache: what is wrong with a query is part of its result */
  async function computeResult(
    project: Pick<Project, 'id'>,
    requested: ResultRequest,
    access: RawAccess,
  ): Promise<InsightResult | undefined> {
    const [result = NO_RESULT] = await results.resultsOf(project, [requested], 'blocking', access);
    const { filters_hash: name, error } = result;
    if (name === null) return result;
    failures.delete(name);
    if (failures.size === MAX_FAILURES) failures.delete(failures.keys().next().value!);
    if (!error) return undefined;
    failures.set(name, { at: now(), error });
    return result;
  }

  return async (project, requested) => {
    const access = await accessOf(project.id);
    const known = await results.resultsOf(project, requested, 'force_cache', access);
    const over = Promise.withResolvers<undefined>();
    const timer = setTimeout(over.resolve, longestWaitMs);

    /** @returns undefined when the cache has it anew */
    async function resultOf(one: InsightResult, question: ResultRequest): Promise<InsightResult | undefined> {
      if (question.insight.query === null || one.error || !isOld(one)) return one;
      const failure = failures.get(one.filters_hash ?? '');
      if (failure && failure.at + KEPT_MS > now()) return { ...one, error: failure.error };
      return Promise.race([computeResult(project, question, access), over.promise.then(() => lateOf(one))]);
    }

    try {
      const reduced = await Promise.all(known.map((one, index) => resultOf(one, requested[index]!)));
      if (!reduced.includes(undefined)) return reduced.map((one) => one!);
      // Read together, as they were computed one by one: one answer holds only so much.
      const anew = await results.resultsOf(project, requested, 'force_cache', access);
      return anew.map((one, index) => (one.error ? one : (reduced[index] ?? one)));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** An older result is better than none: it says how old it is. */
function lateOf(known: InsightResult): InsightResult {
  if (known.last_refresh !== null) return known;
  return { ...NO_RESULT, error: { type: 'timeout', message: 'The result is still being computed.' } };
}
