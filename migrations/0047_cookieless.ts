/** Visitors without cookies: which projects allow them, and the salts of the day by which they are told apart. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(SETTING);
  await knex.raw(SALTS);
  await knex.raw(FORGET);
  await knex.raw(MAKE);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function make_cookieless_salt; drop function forget_cookieless_salts; drop table cookieless_salts;
    alter table projects drop column cookieless_server_hash_mode;
  `);
}

const SETTING = `
  alter table projects add column cookieless_server_hash_mode smallint not null default 0
    check (cookieless_server_hash_mode in (0, 1));
  comment on column projects.cookieless_server_hash_mode is '0: events of visitors without cookies are dropped; 1: they are told apart for a day';
`;

const SALTS = `
  create unlogged table cookieless_salts (
    project_id int not null references projects on delete cascade,
    begins_at timestamptz not null,
    ends_at timestamptz not null,
    salt bytea not null,
    primary key (project_id, begins_at)
  );
  comment on table cookieless_salts is 'of days of projects; unlogged: in no log, replica or base backup. Leave it out of dumps';
  comment on column cookieless_salts.salt is 'whoever has it finds out the addresses of the day; gone when the day is over';
`;

/** What is deleted stays in the file until a vacuum, which a table of few rows may never get. */
// tooth: cookieless-salts-file
const FORGET = `
  -- Takes salts whose day is over out of the table and its file. Fails soon where somebody reads the table for long, as pg_dump does:
  -- whoever wants a salt would have to wait for this one.
  create function forget_cookieless_salts() returns void language plpgsql set lock_timeout = '200ms' as $$
  declare
    kept cookieless_salts[];
  begin
    lock table cookieless_salts in access exclusive mode;
    if not exists (select from cookieless_salts where ends_at <= clock_timestamp()) then
      return;
    end if;
    kept := array(select one from cookieless_salts as one where ends_at > clock_timestamp());
    truncate cookieless_salts;
    insert into cookieless_salts select (one).* from unnest(kept) as one;
  end $$;
`;

/** Made here, so that no statement or parameter has it. Waits for no reader of the table: salts that are over stay until they are forgotten. */
const MAKE = `
  -- The salt of the project's present day, which another process may have made meanwhile.
  create function make_cookieless_salt(project int) returns setof cookieless_salts language plpgsql as $$
  declare
    zone text := (select timezone from projects where id = project);
    midnight timestamp;
  begin
    begin
      midnight := date_trunc('day', clock_timestamp() at time zone zone);
    exception when invalid_parameter_value then
      -- Node knows a zone that this Postgres does not.
      zone := 'UTC';
      midnight := date_trunc('day', clock_timestamp() at time zone zone);
    end;
    insert into cookieless_salts (project_id, begins_at, ends_at, salt)
      values (project, midnight at time zone zone, (midnight + interval '1 day') at time zone zone,
        sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
      on conflict do nothing;
    -- More than one, while the project's time zone changes: the first counts for all.
    return query select * from cookieless_salts where project_id = project and ends_at > clock_timestamp() order by begins_at limit 1;
  end $$;
`;
