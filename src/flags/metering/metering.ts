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
const WATCHED_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Requests to count. `keyId` is null for the public key of the project. */
export type Counted = Omit<CountedRequests, 'day'>;

export type Metering = {
  /** Counts answered requests; callers leave out refused ones. Never throws. */
  count(counted: Counted): void;
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
type Watched = { askedAt: number; month: string; quota: number; used: number };

export function createMetering(options: MeteringOptions): Metering {
  const { store, log, flushEveryMs = FLUSH_EVERY_MS, now = Date.now } = options;
  let pending = new Counts();
  let sdks = { day: '', ofProjects: new Map<number, Set<string>>() };
  let dropped = 0;
  const watched = new Map<number, Watched>();
  const calendar = calendarOf(now);

  function count(counted: Counted): void {
    const today = calendar();
    watch(counted.projectId, today).used += counted.requests;
    const { day } = today;
    const known = pending.find(counted, day);
    if (known) known.requests += counted.requests;
    else keep({ ...counted, sdk: countedSdk(counted, day), day });
  }

  function keep(counted: CountedRequests): void {
    const known = pending.find(counted, counted.day);
    if (known) known.requests += counted.requests;
    else if (pending.size < MAX_PENDING) pending.add(counted);
    else dropped += counted.requests;
  }

  function countedSdk({ projectId, sdk }: Counted, day: string): string {
    if (sdks.day !== day) sdks = { day, ofProjects: new Map() };
    let ofProject = sdks.ofProjects.get(projectId);
    if (!ofProject) sdks.ofProjects.set(projectId, (ofProject = new Set()));
    if (ofProject.size === MAX_SDKS && !ofProject.has(sdk)) return OTHER_SDK;
    ofProject.add(sdk);
    return sdk;
  }

  /** Starts or continues to track a project. Until its quota is read, it counts as unlimited. */
  function watch(projectId: number, { at, month }: Today): Watched {
    const known = watched.get(projectId);
    if (known?.month === month) {
      known.askedAt = at;
      return known;
    }
    const begun = { askedAt: at, month, quota: known?.quota ?? Infinity, used: 0 };
    watched.set(projectId, begun);
    return begun;
  }

  async function flush(): Promise<void> {
    const counted = [...pending.values()];
    pending = new Counts();
    try {
      if (counted.length > 0) await store.add(counted);
    } catch (error) {
      log.warn({ err: error }, 'counts of flag requests could not be stored');
      counted.forEach(keep);
    }
    if (dropped > 0) log.error({ dropped }, 'requests for flags were not counted: too many are pending');
    dropped = 0;
  }

  async function readQuotas(): Promise<void> {
    const oldest = now() - WATCHED_MS;
    for (const [projectId, { askedAt }] of watched) {
      if (askedAt < oldest) watched.delete(projectId);
    }
    if (watched.size === 0) return;
    const { month } = calendar();
    const uses = await store.quotas([...watched.keys()]);
    const byProject = new Map(uses.map((use) => [use.projectId, use]));
    const uncounted = new Map<number, number>();
    for (const { projectId, requests } of pending.values()) {
      uncounted.set(projectId, (uncounted.get(projectId) ?? 0) + requests);
    }
    for (const [projectId, known] of watched) {
      const { quota = Infinity, used = 0 } = byProject.get(projectId) ?? {};
      if (known.month !== month) continue;
      known.quota = quota;
      known.used = used + (uncounted.get(projectId) ?? 0);
    }
  }

  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();

  async function work(): Promise<void> {
    await flush();
    await readQuotas().catch((error: Error) => log.warn({ err: error }, 'quotas could not be read'));
  }

  function workLater(): void {
    timer = setTimeout(() => {
      working = work().finally(() => closed || workLater());
    }, flushEveryMs);
    timer.unref();
  }
  workLater();

  return {
    count,
    isOverQuota(projectId) {
      const { used, quota } = watch(projectId, calendar());
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

  find({ projectId, kind, keyId, sdk }: Counted, day: string): CountedRequests | undefined {
    const ofSdk = this.#byProject.get(projectId)?.get(sdk);
    return ofSdk?.find((one) => one.kind === kind && one.keyId === keyId && one.day === day);
  }

  add(counted: CountedRequests): void {
    let ofProject = this.#byProject.get(counted.projectId);
    if (!ofProject) this.#byProject.set(counted.projectId, (ofProject = new Map()));
    const ofSdk = ofProject.get(counted.sdk);
    if (ofSdk) ofSdk.push(counted);
    else ofProject.set(counted.sdk, [counted]);
    this.size += 1;
  }

  *values(): Iterable<CountedRequests> {
    for (const ofProject of this.#byProject.values()) {
      for (const ofSdk of ofProject.values()) yield* ofSdk;
    }
  }
}

/** Returns the current day and month as text, which are formatted once a day. */
function calendarOf(now: () => number): () => Today {
  const today = { at: NaN, day: '', month: '', until: NaN };
  return () => {
    today.at = now();
    if (today.at < today.until && today.at >= today.until - DAY_MS) return today;
    const begun = Math.floor(today.at / DAY_MS) * DAY_MS;
    today.until = begun + DAY_MS;
    today.day = new Date(begun).toISOString().slice(0, 10);
    today.month = today.day.slice(0, 7);
    return today;
  };
}
