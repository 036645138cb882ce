/** Results of insights: from the cache, or computed when they are missing, or as `refresh` says. */
import { InvalidInput, Unavailable } from '../../../platform/errors.ts';
import type { Project } from '../../../platform/http/access.ts';
import type { RawAccess } from '../../../people/access/raw-data.ts';
import { describeError } from '../../../platform/secrets/redact.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { withDashboardFilters } from '../../queries/parsing/dashboard-filters.ts';
import { dataShownBy } from '../../queries/raw-data.ts';
import { createBudget, type Budget } from './budget.ts';
import { createComputing, type Compute, type Job } from './computing.ts';
import { freshnessOf, isFromFuture } from './freshness.ts';
import type { Insight } from '../insight.ts';
import type { Overlay } from './overlay.ts';
import { queryHash } from './query-key.ts';
import { actionFor, type Refresh } from './refresh.ts';
import { NO_RESULT, type InsightResult, type QueryStatus, type ResultError } from './result.ts';
import type { CachedResult, ResultStore } from './results.store.ts';

/** A query, and the filters and variables laid over it. */
export type ResultRequest = { insight: Pick<Insight, 'query'>; overlay: Overlay };

export type Results = {
  /**
   * Returns results in the order of the requests. A failure is part of its result, so a query never causes a rejection.
   * @param access of the viewer: cached results, too, are shown only to viewers who may see their data
   */
  getResults(
    project: Pick<Project, 'id'>,
    requests: readonly ResultRequest[],
    refresh: Refresh,
    access: RawAccess,
  ): Promise<InsightResult[]>;
  /** Returns a promise for each request, resolved as soon as its result is there; none of them rejects. */
  startResults(
    project: Pick<Project, 'id'>,
    requests: readonly ResultRequest[],
    refresh: Refresh,
    access: RawAccess,
  ): Promise<Promise<InsightResult>[]>;
  /** Resolves when no computation is running; stops cleaning the cache. */
  close(): Promise<void>;
};

export type ResultsOptions = {
  cache: ResultStore;
  compute: Compute;
  log: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Limit of an answer's wait for a result; the computation continues after it. */
  maxWaitMs?: number;
};

/** A request whose cached result, if there is one, already counts towards the budget. */
type RequestedResult = { job: Job; known: CachedResult | undefined; budget: Budget };

const LONGEST_WAIT_MS = 30_000;
const TOO_LARGE: ResultError = {
  type: 'too_large',
  message: 'The results before this one fill the answer: request this one alone, or request less.',
};
const SWEEP_EVERY_MS = 3_600_000;
const KEPT_MS = 3 * 86_400_000;

export function createResults(options: ResultsOptions): Results {
  const { cache, log, now = Date.now, maxWaitMs = LONGEST_WAIT_MS } = options;
  const computing = createComputing({ ...options, now });

  async function answerRequest({ job, known, budget }: RequestedResult, refresh: Refresh): Promise<InsightResult> {
    const current = known && presentResult(job, known, true);
    const isOld = current !== undefined && isOutdated(current, now());
    const action = actionFor(refresh, current && { isOld });
    if (action === 'compute') return computeResult({ job, known, budget }, refresh);
    const result = current ?? { ...NO_RESULT, filters_hash: hexHash(job) };
    if (action === 'show') return result;
    void computeResult({ job, known, budget: createBudget() }, refresh);
    return { ...result, query_status: statusOf(job, { complete: false }) };
  }

  /** Never rejects. A failure is returned together with the older result. */
  async function computeResult({ job, known, budget }: RequestedResult, refresh: Refresh): Promise<InsightResult> {
    try {
      const computation = isForced(refresh) ? computing.computeAnew(job) : computing.compute(job, known);
      const result = await waitAtMost(computation, maxWaitMs);
      budget.giveBack(known?.bytes ?? 0);
      return budget.take(result.bytes) ? presentResult(job, result, false) : tooLarge(job);
    } catch (error) {
      const resultError = resultErrorFor(error, log);
      const olderResult = known ? presentResult(job, known, true) : { ...NO_RESULT, filters_hash: hexHash(job) };
      return {
        ...olderResult,
        error: resultError,
        query_status: statusOf(job, { complete: true, message: resultError.message }),
      };
    }
  }

  async function sweep(): Promise<void> {
    const before = new Date(now() - KEPT_MS).toISOString();
    try {
      while ((await cache.sweep(before)) > 0);
    } catch (error) {
      log.warn({ error: describeError(error) }, 'old results of insights could not be removed');
    }
  }

  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS);
  timer.unref();
  const startEach: Results['startResults'] = async ({ id: projectId }, requested, refresh, access) => {
    if (requested.length === 0) return [];
    const timezone = await cache.findTimezone(projectId);
    const jobs = requested.map((resultRequest) => jobOf(resultRequest, { projectId, timezone, access }, log));
    const sizes = await cache.findSizes(projectId, jobs.flatMap(hashesOf));
    const budget = createBudget();
    // A result that is shown twice counts twice.
    const fits = jobs.map((job) => isJob(job) && budget.take(sizes.get(hexHash(job)) ?? 0));
    const known = await cache.findByHashes(projectId, jobs.filter((_, index) => fits[index]).flatMap(hashesOf));
    return jobs.map(async (job, index) => {
      if (!job) return NO_RESULT;
      if (!isJob(job)) return { ...NO_RESULT, error: job };
      if (fits[index]) return answerRequest({ job, known: known.get(hexHash(job)), budget }, refresh);
      return isForced(refresh) ? answerRequest({ job, known: undefined, budget }, refresh) : tooLarge(job);
    });
  };

  return {
    startResults: startEach,
    getResults: async (...requested) => Promise.all(await startEach(...requested)),

    async close() {
      clearInterval(timer);
      await computing.untilIdle();
    },
  };
}

/** @returns undefined for an insight without a query; an error for one that cannot be computed with its overlay,
 * or that shows data that the viewer may not see */
function jobOf(
  { insight: { query: rawQuery }, overlay }: ResultRequest,
  { projectId, timezone, access }: { projectId: number; timezone: string; access: RawAccess },
  log: Logger,
): Job | ResultError | undefined {
  if (rawQuery === null) return undefined;
  try {
    const query = withDashboardFilters(rawQuery, overlay.filters);
    const refusal = access.refusal(dataShownBy(query));
    // tooth: raw-results
    if (refusal !== undefined) return { type: 'permission_denied', message: refusal };
    return { projectId, query, hash: queryHash(query, { timezone }) };
  } catch (error) {
    return resultErrorFor(error, log);
  }
}

function isJob(job: Job | ResultError | undefined): job is Job {
  return job !== undefined && 'hash' in job;
}

function hashesOf(job: Job | ResultError | undefined): Buffer[] {
  return isJob(job) ? [job.hash] : [];
}

function isForced(refresh: Refresh): boolean {
  return refresh === 'force_blocking' || refresh === 'force_async';
}

function isOutdated({ last_refresh: computedAt, cache_target_age: freshUntil }: InsightResult, now: number): boolean {
  return Date.parse(freshUntil!) <= now || isFromFuture(Date.parse(computedAt!), now);
}

function presentResult(job: Job, { result, computed_at }: CachedResult, isCached: boolean): InsightResult {
  const computedAt = Date.parse(computed_at);
  const end = Date.parse(result.resolved_date_range.date_to);
  const { freshUntil, nextRefresh } = freshnessOf(job.query, { results: result.results, computedAt, end });
  return {
    result: result.results,
    columns: result.columns ?? null,
    types: result.types ?? null,
    hasMore: result.hasMore ?? false,
    timezone: result.timezone,
    resolved_date_range: result.resolved_date_range,
    last_refresh: computed_at,
    is_cached: isCached,
    cache_target_age: new Date(freshUntil).toISOString(),
    next_allowed_client_refresh: new Date(nextRefresh).toISOString(),
    query_status: null,
    filters_hash: hexHash(job),
    error: null,
  };
}

function tooLarge(job: Job): InsightResult {
  return { ...NO_RESULT, filters_hash: hexHash(job), error: TOO_LARGE };
}

function statusOf(job: Job, { complete, message }: { complete: boolean; message?: string }): QueryStatus {
  return {
    id: hexHash(job),
    team_id: job.projectId,
    query_async: !complete,
    complete,
    error: message !== undefined,
    error_message: message ?? null,
  };
}

function hexHash({ hash }: Job): string {
  return hash.toString('hex');
}

/** Failures of the server are logged, and answered without their reasons. */
function resultErrorFor(error: unknown, log: Logger): ResultError {
  if (error instanceof InvalidInput) return { type: 'validation_error', message: error.message };
  if (error instanceof Unavailable) return { type: 'timeout', message: error.message };
  log.error({ error: describeError(error) }, 'the result of an insight could not be computed');
  return { type: 'server_error', message: 'The result could not be computed.' };
}

async function waitAtMost<T>(work: Promise<T>, ms: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeout.reject(new Unavailable('The result is still being computed: ask again in a moment.'));
  }, ms);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
