/** The properties of a group have a limit, like those of a person: every `$groupidentify` adds to them. */
import type { Knex } from '../src/platform/db/connection.ts';
import { CHANGE_GROUPS as FORMER_CHANGE_GROUPS } from './0005_persons_ingest.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop function change_groups');
  await knex.raw(CHANGE_GROUPS);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function change_groups');
  await knex.raw(FORMER_CHANGE_GROUPS);
}

export const CHANGE_GROUPS = `
  -- [{index, key, properties}], sorted by the caller: their properties laid over those that are there. Returns [[index, key]] of those
  -- that stay as they are, since they would have more bytes of JSON than most; null for none.
  create function change_groups(project int, changes jsonb, most int) returns jsonb language plpgsql volatile as $$
  declare
    refused jsonb;
  begin
    with given as materialized (
      select * from jsonb_to_recordset(changes) as given (index smallint, key text, properties jsonb)
    ), changed as (
      insert into groups as known
        select project, index, key, properties, clock_timestamp(), 1 from given where octet_length(properties::text) <= most
        on conflict (project_id, group_type_index, group_key) do update
          set properties = known.properties || excluded.properties, version = known.version + 1
          where octet_length((known.properties || excluded.properties)::text) <= most
        returning known.group_type_index, known.group_key
    )
    select jsonb_agg(jsonb_build_array(index, key)) into refused from given
      where not exists (select from changed where changed.group_type_index = given.index and changed.group_key = given.key);
    return refused;
  end $$;
`;
