/**
 * Sealing: after a seal to an instant, no event with an earlier `inserted_at` can appear, not even from a transaction that
 * began long before.
 *
 * The watermark `sealing_until` is raised and committed; then every transaction that holds the lock of `ingest_now()` is
 * waited for; then `sealed_until` follows. Only a writer that read the old watermark can use an earlier instant, and that writer
 * held the lock when the holders were listed. Writers never wait for a seal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Pool } from '../../platform/db/connection.ts';
import { Unavailable } from '../../platform/errors.ts';

export const MAX_CLOCK_DIFFERENCE_SECONDS = 60;
const FIRST_DELAY_MS = 2;
const LONGEST_DELAY_MS = 100;

/** Holders of the lock that `ingest_now()` takes (migration 0002), of this database. */
const HOLDERS_SQL = `
  from pg_locks
  where locktype = 'advisory' and classid = 0 and objid = ${ADVISORY_LOCKS.eventWriters} and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())`;

export type Sealer = {
  /**
   * Seals to the present. One seal serves every caller that asked before it began.
   * @returns `sealed_until` of a seal that began after the call
   * @throws Unavailable while the clocks of the database and of this process differ too much to know the current instant
   */
  seal(): Promise<string>;
  /**
   * Waits until the database's clock has passed the instant, then seals.
   * @returns `sealed_until`, which is after the instant
   * @throws Unavailable as `seal` does; the signal's reason when it is aborted while waiting
   */
  sealPast(instant: string, signal?: AbortSignal): Promise<string>;
};

export type SealerOptions = {
  /** How long a transaction may keep a seal waiting before its session is ended: its process may be frozen. */
  patienceMs?: number;
  /** Clock of this process. */
  clock?: () => Date;
};

type Options = Required<SealerOptions>;

export function createSealer(
  pool: Pool,
  { patienceMs = 10_000, clock = () => new Date() }: SealerOptions = {},
): Sealer {
  const options = { patienceMs, clock };
  let current: Promise<string> | undefined;
  let following: Promise<string> | undefined;

  function startSeal(): Promise<string> {
    following = undefined;
    current = sealOnce(pool, options).finally(() => (current = undefined));
    return current;
  }

  function seal(): Promise<string> {
    if (!current) return startSeal();
    following ??= current.then(startSeal, startSeal);
    return following;
  }

  async function sealPast(instant: string, signal?: AbortSignal): Promise<string> {
    for (;;) {
      const passedInstant = await waitForDatabaseClock(pool, instant, clock, signal);
      const sealedUntil = await seal();
      // The clock may have been set back between reading it and sealing.
      if (sealedUntil > passedInstant) return sealedUntil;
    }
  }

  return { seal, sealPast };
}

async function sealOnce(pool: Pool, { patienceMs, clock }: Options): Promise<string> {
  const target = await raiseWatermark(pool, clock);
  // tooth: seal-waits
  await waitForHolders(pool, await listHolders(pool), patienceMs);
  const { rows } = await pool.query<{ sealed_until: string }>(
    'update seal set sealed_until = greatest(sealed_until, $1) where id = 1 returning sealed_until',
    [target],
  );
  return rows[0]!.sealed_until;
}

/** Refuses a wrong clock: until a watermark in the future is reached, every live event would get it as its `inserted_at`. */
async function raiseWatermark(pool: Pool, clock: Options['clock']): Promise<string> {
  const ours = clock().toISOString();
  // tooth: seal-clock
  const { rows } = await pool.query<{ sealing_until: string }>(
    `update seal set sealing_until = greatest(sealing_until, wall_clock())
     where id = 1 and abs(extract(epoch from wall_clock() - $1::timestamptz)) <= $2 returning sealing_until`,
    [ours, MAX_CLOCK_DIFFERENCE_SECONDS],
  );
  if (!rows[0]) throw clocksDiffer(await databaseClockAheadSeconds(pool, clock));
  return rows[0].sealing_until;
}

function clocksDiffer(aheadSeconds: number): Unavailable {
  const difference = `${Math.abs(Math.round(aheadSeconds))} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'}`;
  return new Unavailable(
    `The database's clock is ${difference} this process's clock: ` +
      `nothing is sealed until they differ by ${MAX_CLOCK_DIFFERENCE_SECONDS} s at most.`,
    30,
    { fault: { code: 'clocks_differ', owner: 'sluice', field: null } },
  );
}

/** @returns how far the database's clock is ahead of this process's, in seconds; negative when it is behind */
export async function databaseClockAheadSeconds(
  pool: Pool,
  clock: Options['clock'] = () => new Date(),
): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    'select extract(epoch from wall_clock() - $1::timestamptz)::float8 as seconds',
    [clock().toISOString()],
  );
  return rows[0]!.seconds;
}

async function listHolders(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ holder: string }>(`select virtualtransaction as holder ${HOLDERS_SQL}`);
  return rows.map((row) => row.holder);
}

async function waitForHolders(pool: Pool, holders: string[], patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let delayMs = FIRST_DELAY_MS;
  let remaining = holders;
  while (remaining.length > 0) {
    await sleep(delayMs);
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    const overdueMs = performance.now() - deadline;
    // Names the transaction, not the session, because the session may be in its next transaction by now.
    const { rows } = await pool.query<{ holder: string }>(
      `select virtualtransaction as holder ${overdueMs > 0 ? ', pg_terminate_backend(pid)' : ''} ${HOLDERS_SQL} and virtualtransaction = any($1)`,
      [remaining],
    );
    remaining = rows.map((row) => row.holder);
    if (remaining.length > 0 && overdueMs > patienceMs)
      throw new Unavailable('A transaction that stores events does not end.', 30, {
        fault: { code: 'source_not_sealed', owner: 'sluice', field: null },
      });
  }
}

/** @returns the instant as Postgres writes it, once the database's clock is past it */
async function waitForDatabaseClock(
  pool: Pool,
  instant: string,
  clock: Options['clock'],
  signal: AbortSignal | undefined,
): Promise<string> {
  for (;;) {
    signal?.throwIfAborted();
    const { rows } = await pool.query<{ instant: string; ms: number; ahead_seconds: number }>(
      `select instant, extract(epoch from instant - now)::float8 * 1000 as ms,
              extract(epoch from now - $2::timestamptz)::float8 as ahead_seconds
       from (select $1::timestamptz as instant, wall_clock() as now) as clock`,
      [instant, clock().toISOString()],
    );
    const { instant: requestedInstant, ms, ahead_seconds: aheadSeconds } = rows[0]!;
    if (Math.abs(aheadSeconds) > MAX_CLOCK_DIFFERENCE_SECONDS) throw clocksDiffer(aheadSeconds);
    if (ms < 0) return requestedInstant;
    await sleep(Math.min(Math.ceil(ms) + 1, 60_000), undefined, signal && { signal });
  }
}
