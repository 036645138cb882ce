/** A database whose clock is set by hand: every statement reads the simulated time, which moves on a microsecond at each look. */
import type { Knex } from '../../src/platform/db/connection.ts';
import { isoMicros } from '../../src/exports/domain/instants.ts';

export type Clock = {
  set(at: number): Promise<void>;
  /** Milliseconds; as of the last `set`. */
  now(): number;
  /** The clock goes on where it was, whatever becomes of the database. */
  across(change: () => Promise<void>): Promise<void>;
};

/** For connections made after it. Columns' defaults are bound to Postgres's own clock, so they are bound anew. */
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
  // A setting of the database, which no copy of it has.
  const shadow = () => db.raw(`alter database ${databaseName} set search_path = simulated, pg_catalog, public`);
  await shadow();
  let present = 0;
  return {
    async set(at) {
      present = at;
      await db.raw(`select setval('simulated.microseconds', (extract(epoch from ?::timestamptz) * 1000000)::bigint)`, [
        isoMicros(at),
      ]);
    },
    now: () => present,
    async across(change) {
      const { rows } = await db.raw<{ rows: { value: string }[] }>(
        'select last_value as value from simulated.microseconds',
      );
      await change();
      await shadow();
      await db.raw(`select setval('simulated.microseconds', ?::bigint)`, [rows[0]!.value]);
    },
  };
}
