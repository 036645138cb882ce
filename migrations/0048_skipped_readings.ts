/** Readings that a zone's clocks skip in spring count with the offset before the jump, as `src/conditions/operators/dates.ts` has it. */
import type { Knex } from '../src/platform/db/connection.ts';

const FUNCTION = 'language plpgsql immutable strict parallel safe';

const FIND = `
  declare
    day constant bigint := 86400000000;
    found bigint;
  begin
    select min(instant) into found
      from unnest(array[wall - zone_offset(wall - day, zone), wall - zone_offset(wall + day, zone)]) as instant
      where instant + zone_offset(instant, zone) = wall;
    return`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
  -- The instant at which the zone's clocks show the reading, which is given as if they were in UTC: the earlier of two. A reading that
  -- they skip is as long after the jump as it is after the last moment before it.
  create or replace function instant_of_wall(wall bigint, zone text) returns bigint ${FUNCTION} as $$${FIND} coalesce(found, wall - zone_offset(wall - day, zone));
  end $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `create or replace function instant_of_wall(wall bigint, zone text) returns bigint ${FUNCTION} as $$${FIND} found;
  end $$`,
  );
}
