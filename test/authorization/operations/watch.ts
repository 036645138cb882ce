/** Whether anything in the database is different, and a log that takes no entries: what cannot be told must not be done. */
import type { Knex } from '../../../src/platform/db/connection.ts';

export type Watch = {
  /** Of each table; without what mere looking changes. */
  fingerprint(): Promise<Readonly<Record<string, string>>>;
  /** Meanwhile no entry can be written, as when the disk is full. */
  withFullLog(work: () => Promise<void>): Promise<void>;
};

/** Tries to log in are counted before it is known whether they succeed: one that fails must count, too. */
const UNTOLD = ['activity_log', 'login_tries', 'sessions', 'knex_migrations', 'knex_migrations_lock'];
/** When somebody used a key, or looked at a dashboard. */
const BY_LOOKING = ['last_used_at', 'last_accessed_at'];

export async function watchTables(db: Knex): Promise<Watch> {
  // Events, which are in partitions, come by capture alone.
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition order by 1`,
  );
  const tables = rows.map(({ name }) => name).filter((name) => !UNTOLD.includes(name));
  const sums = tables.map(
    (name) =>
      `(select md5(coalesce(string_agg((to_jsonb(t) - '{${BY_LOOKING.join()}}'::text[])::text, '|' order by t::text), '')) from "${name}" as t) as "${name}"`,
  );
  const query = `select ${sums.join(', ')}`;
  await db.raw(`
    create function refuse_entry() returns trigger language plpgsql as
      $$ begin raise exception 'the log is full' using errcode = 'disk_full'; end $$;
    create trigger full_log before insert on activity_log for each row execute function refuse_entry();
    alter table activity_log disable trigger full_log`);

  return {
    async fingerprint() {
      const answer = await db.raw<{ rows: Record<string, string>[] }>(query);
      return answer.rows[0]!;
    },
    async withFullLog(work) {
      await db.raw('alter table activity_log enable trigger full_log');
      try {
        await work();
      } finally {
        await db.raw('alter table activity_log disable trigger full_log');
      }
    },
  };
}
