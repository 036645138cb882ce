/**
 * Counts requests for flags by project, day, kind, key and SDK, and tracks which projects have used up their monthly quota.
 *
 * Counts are collected in memory, and added to the database every few seconds, when the quotas of active projects are read, too. So a
 * project may exceed its quota by a few seconds of requests. Counts may be added twice if the connection is lost during a commit, and are
 * lost if the process is killed before it.
 */
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { CountedRequests, RequestStore } from './requests.store.ts';

const FLUSH_EVERY_MS = 2_000;
/** Maximum number of pending counts; reached only if Postgres is away for long. */
const MAX_PENDING = 50_000;
/** SDKs per project that are counted separately; the rest are counted together, because a request may claim any SDK. */
const MAX_SDKS = 100;
const OTHER_SDK = 'other';
/** How long after a project's last request its quota is still read. */
const TRACKED_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Requests to count. `keyId` is null for the public key of the project. */
export type CountedUse = Omit<CountedRequests, 'day'>;

export type Metering = {
  /** Counts answered requests; callers leave out refused ones. Never throws. */
  count(counted: CountedUse): void;
  /** Whether a project has used up this month's quota. Counts of other processes are known within seconds. */
  isOverQuota(projectId: number): boolean;
  /** Stops, and tries once to write the remaining counts. */
  close(): Promise<void>;
};

export type MeteringOptions = {
  store: RequestStore;
  log: Logger;
  flushEveryMs?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
};

type Today = { at: number; day: string; month: string };
type TrackedProject = { lastRequestAt: number; month: string; quota: number; used: number };

export function createMetering(options: MeteringOptions): Metering {
  const { store, log, flushEveryMs = FLUSH_EVERY_MS, now = Date.now } = options;
  let pending = new Counts();
  let sdks = { day: '', ofProjects: new Map<number, Set<string>>() };
  let dropped = 0;
  const tracked = new Map<number, TrackedProject>();
  const calendar = createCalendar(now);

  function count(counted: CountedUse): void {
    const today = calendar();
    track(counted.projectId, today).used += counted.requests;
    const { day } = today;
    const known = pending.find(counted, day);
    if (known) known.requests += counted.requests;
    else addPending({ ...counted, sdk: countedSdk(counted, day), day });
  }

  function addPending(counted: CountedRequests): void {
    const known = pending.find(counted, counted.day);
    if (known) known.requests += counted.requests;
    else if (pending.size < MAX_PENDING) pending.add(counted);
    else dropped += counted.requests;
  }

  function countedSdk({ projectId, sdk }: CountedUse, day: string): string {
    if (sdks.day !== day) sdks = { day, ofProjects: new Map() };
    let sdksOfProject = sdks.ofProjects.get(projectId);
    if (!sdksOfProject) sdks.ofProjects.set(projectId, (sdksOfProject = new Set()));
    if (sdksOfProject.size === MAX_SDKS && !sdksOfProject.has(sdk)) return OTHER_SDK;
    sdksOfProject.add(sdk);
    return sdk;
  }

  /** Starts or continues to track a project. Until its quota is read, it counts as unlimited. */
  function track(projectId: number, { at, month }: Today): TrackedProject {
    const known = tracked.get(projectId);
    if (known?.month === month) {
      known.lastRequestAt = at;
      return known;
    }
    const started = { lastRequestAt: at, month, quota: known?.quota ?? Infinity, used: 0 };
    tracked.set(projectId, started);
    return started;
  }

  async function flush(): Promise<void> {
    const requestCounts = [...pending.values()];
    pending = new Counts();
    try {
      if (requestCounts.length > 0) await store.add(requestCounts);
    } catch (error) {
      log.warn({ err: error }, 'counts of flag requests could not be stored');
      requestCounts.forEach(addPending);
    }
    if (dropped > 0) log.error({ dropped }, 'requests for flags were not counted: too many are pending');
    dropped = 0;
  }

  async function readQuotas(): Promise<void> {
    const oldest = now() - TRACKED_MS;
    for (const [projectId, { lastRequestAt }] of tracked) {
      if (lastRequestAt < oldest) tracked.delete(projectId);
    }
    if (tracked.size === 0) return;
    const { month } = calendar();
    const uses = await store.findQuotas([...tracked.keys()]);
    const byProject = new Map(uses.map((use) => [use.projectId, use]));
    const uncounted = new Map<number, number>();
    for (const { projectId, requests } of pending.values()) {
      uncounted.set(projectId, (uncounted.get(projectId) ?? 0) + requests);
    }
    for (const [projectId, known] of tracked) {
      const { quota = Infinity, used = 0 } = byProject.get(projectId) ?? {};
      if (known.month !== month) continue;
      known.quota = quota;
      known.used = used + (uncounted.get(projectId) ?? 0);
    }
  }

  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();

  async function flushAndReadQuotas(): Promise<void> {
    await flush();
    await readQuotas().catch((error: Error) => log.warn({ err: error }, 'quotas could not be read'));
  }

  function scheduleWork(): void {
    timer = setTimeout(() => {
      working = flushAndReadQuotas().finally(() => closed || scheduleWork());
    }, flushEveryMs);
    timer.unref();
  }
  scheduleWork();

  return {
    count,
    isOverQuota(projectId) {
      const { used, quota } = track(projectId, calendar());
      return used >= quota;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await working;
      await flush();
    },
  };
}

/** Pending counts, in nested maps, so no text has to be built as a key for each request. */
class Counts {
  size = 0;
  /** Counts by project and SDK. Each list is short: one entry for each kind and key. */
  readonly #byProject = new Map<number, Map<string, CountedRequests[]>>();

  find({ projectId, kind, keyId, sdk }: CountedUse, day: string): CountedRequests | undefined {
    const countsOfSdk = this.#byProject.get(projectId)?.get(sdk);
    return countsOfSdk?.find((entry) => entry.kind === kind && entry.keyId === keyId && entry.day === day);
  }

  add(counted: CountedRequests): void {
    let countsBySdk = this.#byProject.get(counted.projectId);
    if (!countsBySdk) this.#byProject.set(counted.projectId, (countsBySdk = new Map()));
    const countsOfSdk = countsBySdk.get(counted.sdk);
    if (countsOfSdk) countsOfSdk.push(counted);
    else countsBySdk.set(counted.sdk, [counted]);
    this.size += 1;
  }

  *values(): Iterable<CountedRequests> {
    for (const countsBySdk of this.#byProject.values()) {
      for (const countsOfSdk of countsBySdk.values()) yield* countsOfSdk;
    }
  }
}

/** Returns the current day and month as text, which are formatted once a day. */
function createCalendar(now: () => number): () => Today {
  const today = { at: NaN, day: '', month: '', until: NaN };
  return () => {
    today.at = now();
    if (today.at < today.until && today.at >= today.until - DAY_MS) return today;
    const started = Math.floor(today.at / DAY_MS) * DAY_MS;
    today.until = started + DAY_MS;
    today.day = new Date(started).toISOString().slice(0, 10);
    today.month = today.day.slice(0, 7);
    return today;
  };
}
