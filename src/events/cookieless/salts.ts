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

const LOOK_AGAIN_MS = 60_000;
const FORGET_EVERY_MS = 60_000;
/** How long a repeated read may keep a request waiting: SDKs that want flags wait three seconds. */
const LONGEST_LOOK_MS = 1_000;

type Held = DaySalt & { readAt: number; endsAt: number };

export type SaltsOptions = {
  store: SaltStore;
  log: Logger;
  /** Age after which a cached salt is read again. */
  lookAgainMs?: number;
  /** How often expired salts are removed. */
  forgetEveryMs?: number;
};

export function createSalts(options: SaltsOptions): Salts {
  const { store, log, lookAgainMs = LOOK_AGAIN_MS, forgetEveryMs = FORGET_EVERY_MS } = options;
  const heldSalts = new Map<number, Held>();
  /** Reads in progress by project. */
  const reads = new Map<number, Promise<Held>>();
  let forgetting: Promise<void> = Promise.resolve();

  function findHeld(projectId: number): Held | undefined {
    const heldSalt = heldSalts.get(projectId);
    return heldSalt && performance.now() < heldSalt.endsAt ? heldSalt : undefined;
  }

  async function read(projectId: number): Promise<Held> {
    const readAt = performance.now();
    const { msLeft, ...salt } = await store.getTodaysSalt(projectId);
    const readSalt = { ...salt, readAt, endsAt: readAt + msLeft };
    heldSalts.set(projectId, readSalt);
    return readSalt;
  }

  function readOnce(projectId: number): Promise<Held> {
    let reading = reads.get(projectId);
    if (!reading) {
      reading = read(projectId).finally(() => reads.delete(projectId));
      reads.set(projectId, reading);
    }
    return reading;
  }

  async function forget(): Promise<void> {
    for (const [projectId, { endsAt }] of heldSalts) if (performance.now() >= endsAt) heldSalts.delete(projectId);
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
      const heldSalt = findHeld(projectId);
      if (!heldSalt) return readOnce(projectId).catch(unavailable);
      const now = performance.now();
      if (now < heldSalt.readAt + lookAgainMs) return heldSalt;
      // Requests that come meanwhile use the known salt, and so does this one when Postgres is away or silent.
      heldSalt.readAt = now;
      const look = readOnce(projectId).catch(() => heldSalt);
      return Promise.race([look, sleep(LONGEST_LOOK_MS, heldSalt, { ref: false })]);
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
