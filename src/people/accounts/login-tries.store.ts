/**
 * Limits tries to log in, across all processes. Each subject has a token bucket that is stored as one instant, as in the generic cell rate
 * algorithm (GCRA): each try moves `paid_at` by its cost, and time pays it off.
 */
import { createHash } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { Throttled, Unavailable } from '../../platform/errors.ts';

export type TryLimit = {
  /** Kind of subject, which keeps an account and an address with the same text apart. */
  kind: string;
  /** Seconds that one try costs. */
  cost: number;
  /** Seconds of cost that may be owed, which allows `burst / cost` tries at once. */
  burst: number;
};

/** Maximum number of rows; beyond it those that owe least are deleted. */
const MAX_ROWS = 50_000;
const SWEEP_EVERY = 100;
/** Short, because a person waits; concurrent tries may have locked the row. */
const MAX_WAIT_MS = 2_000;

const CHARGE_TRY = `
  insert into login_tries as tries (subject, paid_at) values (:subject, now() + make_interval(secs => :cost))
  on conflict (subject) do update
    set paid_at = greatest(tries.paid_at, now()) + make_interval(secs => :cost)
    where greatest(tries.paid_at, now()) + make_interval(secs => :cost) <= now() + make_interval(secs => :burst)
  returning 1`;

const SELECT_WAIT = `
  select ceil(extract(epoch from paid_at + make_interval(secs => :cost) - make_interval(secs => :burst) - now()))::int as seconds
  from login_tries where subject = :subject`;

const DELETE_SURPLUS = `
  delete from login_tries where paid_at < now()
    or subject in (select subject from login_tries order by paid_at desc offset :most limit :most)`;

export function loginTryStore(db: Knex) {
  let charges = 0;

  /** @throws Unavailable if Postgres does not answer in time, because uncounted tries are not allowed */
  async function query<Row>(sql: string, values: Record<string, string | number | Buffer>): Promise<Row[]> {
    try {
      const answer = db.raw<{ rows: Row[] }>(sql, values).timeout(MAX_WAIT_MS, { cancel: true });
      return ((await answer) as { rows: Row[] }).rows;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'KnexTimeoutError') throw error;
      throw new Unavailable('Logging in takes too long right now.', undefined, { cause: error });
    }
  }

  return {
    /**
     * Counts one try.
     * @param subject the client's address, or the tried account
     * @throws Throttled after too many tries, without counting this one; Unavailable
     */
    async charge({ kind, cost, burst }: TryLimit, subject: string): Promise<void> {
      charges += 1;
      // Another process may be sweeping too, so a failure here must not fail the login.
      if (charges % SWEEP_EVERY === 1) await query(DELETE_SURPLUS, { most: MAX_ROWS }).catch(() => {});
      const subjectHash = createHash('sha256').update(`${kind} ${subject}`).digest();
      const charged = await query(CHARGE_TRY, { subject: subjectHash, cost, burst });
      if (charged.length > 0) return;
      const [wait] = await query<{ seconds: number }>(SELECT_WAIT, { subject: subjectHash, cost, burst });
      throw new Throttled(Math.max(1, wait?.seconds ?? 1));
    },
  };
}
