/** The properties of a group have a limit of values, like those of a person: flags read them as a whole, and large ones slowly. */
import type { Knex } from '../src/platform/db/connection.ts';
import { CHANGE_GROUPS as FORMER_CHANGE_GROUPS } from './0015_group_limits.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop function change_groups');
  await knex.raw(JSON_VALUES);
  await knex.raw(GROUP_FITS);
  await knex.raw(CHANGE_GROUPS);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function change_groups; drop function group_fits; drop function json_values');
  await knex.raw(FORMER_CHANGE_GROUPS);
}

const JSON_VALUES = `
  -- Elements of lists and members of objects at every level.
  create function json_values(document jsonb) returns bigint language sql immutable as $$
    select count(*) - 1 from jsonb_path_query(document, 'strict $.**');
  $$;
`;

const GROUP_FITS = `
  -- Whether a group may have the properties. Commas and brackets are counted first, which is faster, and never less than there are values.
  -- A group of before there was a limit may lose some of what it has.
  create function group_fits(properties jsonb, former jsonb, most_bytes int, most_values int) returns boolean language sql immutable as $$
    select octet_length(properties::text) <= most_bytes and (
      length(properties::text) - length(translate(properties::text, ',[{', '')) <= most_values
      or json_values(properties) <= most_values
      or json_values(properties) <= json_values(former));
  $$;
`;

/** With three arguments it is what a process of an earlier version calls. */
const CHANGE_GROUPS = `
  -- [{index, key, properties}], sorted by the caller: their properties laid over those that are there. Returns [[index, key]] of those
  -- that stay as they are, since they would be too large; null for none.
  create function change_groups(project int, changes jsonb, most_bytes int, most_values int default 25000) returns jsonb language plpgsql volatile as $$
  declare
    refused jsonb;
  begin
    with given as materialized (
      select * from jsonb_to_recordset(changes) as given (index smallint, key text, properties jsonb)
    ), changed as (
      insert into groups as known
        select project, index, key, properties, clock_timestamp(), 1 from given where group_fits(properties, '{}', most_bytes, most_values)
        on conflict (project_id, group_type_index, group_key) do update
          set properties = known.properties || excluded.properties, version = known.version + 1
          where group_fits(known.properties || excluded.properties, known.properties, most_bytes, most_values)
        returning known.group_type_index, known.group_key
    )
    select jsonb_agg(jsonb_build_array(index, key)) into refused from given
      where not exists (select from changed where changed.group_type_index = given.index and changed.group_key = given.key);
    return refused;
  end $$;
`;
