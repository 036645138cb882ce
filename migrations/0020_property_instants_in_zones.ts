/** Dates without an offset, and relative ones, as the clock of a project shows them: the same answers as `src/conditions/operators/dates.ts`. */
import type { Knex } from '../src/platform/db/connection.ts';

const FUNCTION = 'language plpgsql immutable strict parallel safe';

/** The calendar of Postgres begins in 4714 BC: before the year 1 a zone's clocks are ahead as they were then. */
const ZONE_OFFSET = `
  -- Microseconds that the zone's clocks are ahead of UTC.
  create function zone_offset(instant bigint, zone text) returns bigint ${FUNCTION} as $$
  declare
    moment timestamptz := to_timestamp(greatest(floor(instant / 1000000.0), -62135596800)::float8);
  begin
    return (extract(epoch from moment at time zone zone) - extract(epoch from moment)) * 1000000;
  end $$`;

const INSTANT_OF_WALL = `
  -- The instant at which the zone's clocks show that, which is given as if they were in UTC: the earlier of two, null when they skip it.
  create function instant_of_wall(wall bigint, zone text) returns bigint ${FUNCTION} as $$
  declare
    day constant bigint := 86400000000;
    found bigint;
  begin
    select min(instant) into found
      from unnest(array[wall - zone_offset(wall - day, zone), wall - zone_offset(wall + day, zone)]) as instant
      where instant + zone_offset(instant, zone) = wall;
    return found;
  end $$`;

/** In capitals. */
const NAIVE = '^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?$';

const PROPERTY_INSTANT = `
  -- As property_instant, which reads in UTC what has no offset.
  create function property_instant(value jsonb, instant bigint, zone text) returns bigint ${FUNCTION} as $$
  declare
    written text := value #>> '{}';
  begin
    if jsonb_typeof(value) <> 'string' then return property_instant(value, instant); end if;
    if written ~ '^-?[0-9]+[hdwmy]$' then
      return instant_of_wall(relative_instant(written, instant + zone_offset(instant, zone)), zone);
    end if;
    if upper(written collate "C") !~ '${NAIVE}' then return property_instant(value, instant); end if;
    return instant_of_wall(property_instant(value, instant), zone);
  end $$`;

export async function up(knex: Knex): Promise<void> {
  for (const sql of [ZONE_OFFSET, INSTANT_OF_WALL, PROPERTY_INSTANT]) await knex.raw(sql.replaceAll('?', '\\?'));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop function property_instant(jsonb, bigint, text), instant_of_wall(bigint, text), zone_offset(bigint, text)',
  );
}
