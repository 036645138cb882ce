/** A database with a simulated clock: each reading of it in SQL moves it on by a microsecond. */
import type { Knex } from '../../src/platform/db/connection.ts';
import { isoMicros } from '../../src/exports/domain/instants.ts';

export type Clock = {
  set(at: number): Promise<void>;
  /** The argument of the last `set`, in milliseconds since 1970. */
  now(): number;
  /** Makes a change that replaces the database, such as a restore; then the clock goes on where it was. */
  keepDuring(change: () => Promise<void>): Promise<void>;
};

/** Replaces the clock for all connections that are opened later, and in defaults of columns, which refer to Postgres's own functions. */
export async function simulateClock(db: Knex, databaseName: string): Promise<Clock> {
  await db.raw(`
    create schema simulated;
    create sequence simulated.microseconds;
    create function simulated.clock_timestamp() returns timestamptz language sql volatile as
      $$ select pg_catalog.to_timestamp(0) + pg_catalog.nextval('simulated.microseconds') * interval '1 microsecond' $$;
    create function simulated.now() returns timestamptz language sql volatile as 'select simulated.clock_timestamp()';
    do $$ declare c record;
    begin
      for c in select table_name, column_name from information_schema.columns
        where table_schema = 'public' and column_default in ('now()', 'clock_timestamp()') loop
        execute format('alter table public.%I alter %I set default simulated.clock_timestamp()', c.table_name, c.column_name);
      end loop;
    end $$;
  `);
  // Copies of a database do not have its settings.
  const useSimulatedFunctions = () =>
    db.raw(`alter database ${databaseName} set search_path = simulated, pg_catalog, public`);
  await useSimulatedFunctions();
  let millis = 0;
  return {
    async set(at) {
      millis = at;
      await db.raw(`select setval('simulated.microseconds', (extract(epoch from ?::timestamptz) * 1000000)::bigint)`, [
        isoMicros(at),
      ]);
    },
    now: () => millis,
    async keepDuring(change) {
      const { rows } = await db.raw<{ rows: { value: string }[] }>(
        'select last_value as value from simulated.microseconds',
      );
      await change();
      await useSimulatedFunctions();
      await db.raw(`select setval('simulated.microseconds', ?::bigint)`, [rows[0]!.value]);
    },
  };
}
