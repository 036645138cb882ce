/**
 * Which hash decides a flag for a distinct id that has no person yet. SDKs say once that a visitor was identified, when they ask for
 * flags, and that is seconds before the event that makes the person: without this, flags would keep their answer only until the next page.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table feature_flag_awaited_overrides (
      project_id int not null references projects on delete cascade,
      distinct_id text not null,
      feature_flag_key text not null,
      hash_key text not null,
      primary key (project_id, distinct_id, feature_flag_key)
    );

    -- Whoever deletes a person forgets this, too.
    create function forget_awaited_overrides() returns trigger language plpgsql as $$
    begin
      delete from feature_flag_awaited_overrides where project_id = new.project_id and distinct_id = new.distinct_id;
      return null;
    end $$;
    create trigger person_distinct_ids_forget_awaited after update of person_id on person_distinct_ids
      for each row when (new.person_id is null and old.person_id is not null) execute function forget_awaited_overrides();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger person_distinct_ids_forget_awaited on person_distinct_ids;
    drop function forget_awaited_overrides;
    drop table feature_flag_awaited_overrides;
  `);
}
