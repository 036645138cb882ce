/**
 * Today's salts of projects that allow visitors without cookies, cached in this process. A salt is cached until its day is over,
 * and read again each minute, because a crash or a failover of Postgres creates a new one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../../platform/db/away.ts';
import { Unavailable } from '../../platform/errors.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { SaltStore } from './salts.store.ts';

/** The salt of a project's day. Never logged. */
export type DaySalt = {
  salt: Buffer;
  /** When the day began, milliseconds since 1970. */
  beganAt: number;
};

export type Salts = {
  /** @throws Unavailable while Postgres is away, for a project whose salt is not in memory */
  getTodaysSalt(projectId: number): Promise<DaySalt>;
  close(): Promise<void>;
};

const REREAD_AFTER_MS = 60_000;
const FORGET_EVERY_MS = 60_000;
/** How long a repeated read may keep a request waiting: SDKs that want flags wait three seconds. */
const MAX_REREAD_MS = 1_000;

type CachedSalt = DaySalt & { readAt: number; endsAt: number };

export type SaltsOptions = {
  store: SaltStore;
  log: Logger;
  /** Age after which a cached salt is read again. */
  rereadAfterMs?: number;
  /** How often expired salts are removed. */
  forgetEveryMs?: number;
};

export function createSalts(options: SaltsOptions): Salts {
  const { store, log, rereadAfterMs = REREAD_AFTER_MS, forgetEveryMs = FORGET_EVERY_MS } = options;
  const cachedSalts = new Map<number, CachedSalt>();
  /** Reads in progress by project. */
  const reads = new Map<number, Promise<CachedSalt>>();
  let forgetting: Promise<void> = Promise.resolve();

  function findCached(projectId: number): CachedSalt | undefined {
    const cachedSalt = cachedSalts.get(projectId);
    return cachedSalt && performance.now() < cachedSalt.endsAt ? cachedSalt : undefined;
  }

  async function read(projectId: number): Promise<CachedSalt> {
    const readAt = performance.now();
    const { msLeft, ...salt } = await store.getTodaysSalt(projectId);
    const readSalt = { ...salt, readAt, endsAt: readAt + msLeft };
    cachedSalts.set(projectId, readSalt);
    return readSalt;
  }

  function readOnce(projectId: number): Promise<CachedSalt> {
    let reading = reads.get(projectId);
    if (!reading) {
      reading = read(projectId).finally(() => reads.delete(projectId));
      reads.set(projectId, reading);
    }
    return reading;
  }

  async function forget(): Promise<void> {
    for (const [projectId, { endsAt }] of cachedSalts) if (performance.now() >= endsAt) cachedSalts.delete(projectId);
    try {
      await store.forget();
    } catch (error) {
      if (!isDatabaseAway(error)) log.warn({ error: describeError(error) }, 'salts of past days could not be deleted');
    }
  }

  const timer = setInterval(() => {
    forgetting = forgetting.then(forget);
  }, forgetEveryMs);
  timer.unref();

  return {
    async getTodaysSalt(projectId) {
      const cachedSalt = findCached(projectId);
      if (!cachedSalt) return readOnce(projectId).catch(unavailable);
      const now = performance.now();
      if (now < cachedSalt.readAt + rereadAfterMs) return cachedSalt;
      // Requests that come meanwhile use the known salt, and so does this one when Postgres is away or silent.
      cachedSalt.readAt = now;
      const reread = readOnce(projectId).catch(() => cachedSalt);
      return Promise.race([reread, sleep(MAX_REREAD_MS, cachedSalt, { ref: false })]);
    },
    async close() {
      clearInterval(timer);
      await Promise.allSettled([forgetting, ...reads.values()]);
    },
  };
}

function unavailable(cause: unknown): never {
  throw new Unavailable('Visitors without cookies cannot be told apart right now.', 5, { cause });
}
