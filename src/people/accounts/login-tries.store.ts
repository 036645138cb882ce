/**
 * Tries to log in, for all processes together: a token bucket for each subject in one instant, as in the generic cell rate algorithm
 * (GCRA). A try costs its time, which is paid off as time goes by.
 */
import { createHash } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { Throttled, Unavailable } from '../../platform/errors.ts';

export type TryLimit = {
  /** Names the kind of subject: an account and an address of the same text are two. */
  kind: string;
  /** Seconds that one try costs. */
  cost: number;
  /** Seconds that may be owed: so many tries at once. */
  burst: number;
};

/** Maximum number of rows; beyond it the ones that owe least are deleted first. */
const MAX_ROWS = 50_000;
const SWEEP_EVERY = 100;
/** Short, because a person waits, and the tries before may hold the row. */
const LONGEST_WAIT_MS = 2_000;

const CHARGE = `
  insert into login_tries as tries (subject, paid_at) values (:subject, now() + make_interval(secs => :cost))
  on conflict (subject) do update
    set paid_at = greatest(tries.paid_at, now()) + make_interval(secs => :cost)
    where greatest(tries.paid_at, now()) + make_interval(secs => :cost) <= now() + make_interval(secs => :burst)
  returning 1`;

const WAIT = `
  select ceil(extract(epoch from paid_at + make_interval(secs => :cost) - make_interval(secs => :burst) - now()))::int as seconds
  from login_tries where subject = :subject`;

const SWEEP = `
  delete from login_tries where paid_at < now()
    or subject in (select subject from login_tries order by paid_at desc offset :most limit :most)`;

export function loginTryStore(db: Knex) {
  let charges = 0;

  /** @throws Unavailable when Postgres does not answer in time: without the count nobody guesses on */
  async function ask<Row>(sql: string, values: Record<string, string | number | Buffer>): Promise<Row[]> {
    try {
      const answer = db.raw<{ rows: Row[] }>(sql, values).timeout(LONGEST_WAIT_MS, { cancel: true });
      return ((await answer) as { rows: Row[] }).rows;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'KnexTimeoutError') throw error;
      throw new Unavailable('Logging in takes too long right now.', undefined, { cause: error });
    }
  }

  return {
    /**
     * Counts one try.
     * @param subject who tries: an address, or the account that they try
     * @throws Throttled, and nothing was counted, when there were too many; Unavailable
     */
    async charge({ kind, cost, burst }: TryLimit, subject: string): Promise<void> {
      charges += 1;
      // Another process may be sweeping too, so a failure here must not fail the login.
      if (charges % SWEEP_EVERY === 1) await ask(SWEEP, { most: MAX_ROWS }).catch(() => {});
      const named = createHash('sha256').update(`${kind} ${subject}`).digest();
      const counted = await ask(CHARGE, { subject: named, cost, burst });
      if (counted.length > 0) return;
      const [wait] = await ask<{ seconds: number }>(WAIT, { subject: named, cost, burst });
      throw new Throttled(Math.max(1, wait?.seconds ?? 1));
    },
  };
}
