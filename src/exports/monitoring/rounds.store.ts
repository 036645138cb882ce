/** The reconciler's last round on any worker, and the age of the oldest open transaction. */
import type { Knex } from '../../platform/db/connection.ts';

/** `ageSeconds`: since the round ended; `seconds`: how long it took. */
export type RoundFigures = { ageSeconds: number; seconds: number; failures: number };

export function roundStore(db: Knex) {
  return {
    /** @param failures number of steps that failed */
    async recordRound(seconds: number, failures: number): Promise<void> {
      await db.raw(
        `insert into reconciler_rounds (id, finished_at, seconds, failures) values (1, clock_timestamp(), ?, ?)
         on conflict (id) do update set finished_at = excluded.finished_at, seconds = excluded.seconds, failures = excluded.failures`,
        [seconds, failures],
      );
    },

    /** @returns undefined before the first round */
    async findLastRound(): Promise<RoundFigures | undefined> {
      const { rows } = await db.raw<{ rows: RoundFigures[] }>(
        `select extract(epoch from clock_timestamp() - finished_at)::float8 as "ageSeconds", seconds, failures from reconciler_rounds`,
      );
      return rows[0];
    },

    /** Seconds since the oldest open transaction of this database began; 0 if none is open. Such a transaction delays seals and vacuum. */
    async oldestTransactionSeconds(): Promise<number> {
      const { rows } = await db.raw<{ rows: { seconds: number }[] }>(
        `select coalesce(extract(epoch from clock_timestamp() - min(xact_start)), 0)::float8 as seconds
         from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      return rows[0]!.seconds;
    },
  };
}
