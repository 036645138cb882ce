/**
 * What property filters compare, as Postgres computes it: the same answers as `src/flags/evaluation`, from which the patterns and
 * rules below are taken; a test asks both. Each gives null for what cannot be compared.
 */
import type { Knex } from '../src/platform/db/connection.ts';

const FUNCTION = 'language plpgsql immutable strict parallel safe';

/** As serde_json writes a float: the shortest digits, an exponent from 1e16 on and below 1e-5. Integers of 64 bits stay as they are. */
const NUMBER_TEXT = `
create function property_number_text(written text) returns text ${FUNCTION} as $$
declare
  exact numeric;
  found text[];
  digits text;
  exponent integer;
  sign text := case when written like '-%' then '-' else '' end;
begin
  -- What is short is its own shortest text, but for zeros at its end.
  if position('.' in written) = 0 and length(written) < 19 then return written; end if;
  if position('.' in written) > 0 and length(written) <= 16 and ltrim(written, '-') not like '0.00000%' then
    return rtrim(rtrim(written, '0'), '.') || case when written like '%.' || repeat('0', length(split_part(written, '.', 2))) then '.0' else '' end;
  end if;
  exact := written::numeric;
  if position('.' in written) = 0 and exact between -9223372036854775808 and 18446744073709551615 then
    return written;
  end if;
  if abs(exact) >= 1.7976931348623158e308 then return sign || 'inf'; end if;
  if abs(exact) < 2.5e-324 then return '0.0'; end if;
  found := regexp_match(abs(written::float8)::text, '^([0-9]+)(?:[.]([0-9]+))?(?:e([+-][0-9]+))?$');
  digits := found[1] || coalesce(found[2], '');
  exponent := coalesce(found[3], '0')::integer + length(found[1]) - 1 - (length(digits) - length(ltrim(digits, '0')));
  digits := btrim(digits, '0');
  if exponent >= 16 or exponent < -5 then
    return sign || left(digits, 1) || case when length(digits) > 1 then '.' || substr(digits, 2) else '' end
      || 'e' || case when exponent > 0 then '+' else '' end || exponent;
  end if;
  if exponent < 0 then return sign || '0.' || repeat('0', -exponent - 1) || digits; end if;
  return sign || rpad(left(digits, exponent + 1), exponent + 1, '0') || '.' || coalesce(nullif(substr(digits, exponent + 2), ''), '0');
end $$`;

/** Compact JSON with sorted keys. */
const JSON_TEXT = `
create function property_json(value jsonb) returns text ${FUNCTION} as $$
begin
  return case jsonb_typeof(value)
    when 'number' then property_number_text(value #>> '{}')
    when 'array' then (
      select '[' || coalesce(string_agg(property_json(element), ',' order by place), '') || ']'
        from jsonb_array_elements(value) with ordinality as elements(element, place))
    when 'object' then (
      select '{' || coalesce(string_agg(to_json(key)::text || ':' || property_json(element), ',' order by key collate "C"), '') || '}'
        from jsonb_each(value) as entries(key, element))
    else value::text end;
end $$`;

/** What text operators compare. */
const TEXT = `
create function property_text(value jsonb) returns text language sql immutable parallel safe as $$
  select case when jsonb_typeof(value) = 'string' then value #>> '{}' else property_json(value) end
$$`;

const IS_TRUE = `
create function property_is_true(value jsonb) returns boolean ${FUNCTION} as $$
begin
  return case jsonb_typeof(value)
    when 'boolean' then value::boolean
    when 'string' then lower((value #>> '{}') collate "C") = 'true'
    when 'array' then not exists (select from jsonb_array_elements(value) as elements(element) where not property_is_true(element))
    else false end;
end $$`;

/** The same words make Postgres raise for too large and too small; the first is no number, the second is 0. */
const NUMBER = `
create function property_number(value jsonb) returns float8 ${FUNCTION} as $$
declare
  written text := value #>> '{}';
  mantissa text;
  exponent numeric;
  whole text;
  fraction text;
begin
  if jsonb_typeof(value) not in ('number', 'string') then return null; end if;
  if written !~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$' then return null; end if;
  if length(written) < 300 and written !~ '[eE]' then return written::float8; end if;
  begin
    return written::float8;
  exception when numeric_value_out_of_range then
    mantissa := ltrim(split_part(lower(written), 'e', 1), '+-');
    exponent := coalesce(nullif(split_part(lower(written), 'e', 2), ''), '0')::numeric;
    whole := ltrim(split_part(mantissa, '.', 1), '0');
    fraction := split_part(mantissa, '.', 2);
    if whole = '' then exponent := exponent - (length(fraction) - length(ltrim(fraction, '0')));
    else exponent := exponent + length(whole); end if;
    return case when exponent > 0 then null else 0 end;
  end;
end $$`;

/**
 * Hours, days and weeks have fixed lengths; months and years are stepped through one by one, a day that one lacks becomes its last.
 * 400 years are 146,097 days, whichever they are: steps beyond them need no calendar.
 */
const RELATIVE = `
create function relative_instant(written text, instant bigint) returns bigint ${FUNCTION} as $$
declare
  amount numeric := btrim(written, '-hdwmy')::numeric;
  unit text := right(written, 1);
  cycle integer := case unit when 'y' then 400 else 4800 end;
  wall timestamp := timestamp '1970-01-01' + make_interval(secs => instant / 1e6);
begin
  if amount >= 10000 then return null; end if;
  if unit in ('h', 'd', 'w') then
    return instant - amount * case unit when 'h' then 3600000000 when 'd' then 86400000000 else 604800000000 end;
  end if;
  if amount >= cycle and extract(day from wall) > 28 and (unit = 'm' or extract(month from wall) = 2) then
    wall := wall - make_interval(days => extract(day from wall)::integer - 28);
  end if;
  for step in 1..(amount % cycle) loop
    wall := wall - case unit when 'y' then interval '1 year' else interval '1 month' end;
  end loop;
  return extract(epoch from wall) * 1000000 - div(amount, cycle) * 146097 * 86400000000;
end $$`;

/** In capitals. */
const DATE_PATTERN =
  '^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?' +
  '( ?(Z|UTC|GMT|BST|CET|CEST|EET|EEST|EDT|EST|CDT|CST|MDT|MST|PDT|PST|[+-][0-9]{2}(:?[0-9]{2})?))?)?$';

/**
 * Microseconds since 1970. A number, or a text that says one, is seconds; a date without an offset is in UTC; a relative one counts
 * back from the given instant.
 */
const INSTANT = `
create function property_instant(value jsonb, instant bigint) returns bigint ${FUNCTION} as $$
declare
  seconds float8;
  written text := value #>> '{}';
  day text;
  clock text;
  zone text;
  parts integer[];
  ahead integer := 0;
begin
  if jsonb_typeof(value) not in ('number', 'string') then return null; end if;
  -- Most are written so; whether something is found is decided faster than where.
  if written !~ '^[0-9]{4}-[0-9]' then
    seconds := property_number(value);
    if abs(seconds) > 8200000000000 then return null; end if;
    if seconds is not null then
      return floor(seconds)::bigint * 1000000 + floor((seconds - floor(seconds)) * 1e6 + 0.5)::bigint;
    end if;
    return case when written ~ '^-?[0-9]+[hdwmy]$' then relative_instant(written, instant) end;
  end if;
  written := upper(written collate "C");
  if written !~ '${DATE_PATTERN}' then return null; end if;
  day := split_part(split_part(written, 'T', 1), ' ', 1);
  zone := ltrim(substr(written, length(day) + 2), '0123456789:.');
  clock := substr(written, length(day) + 2, greatest(0, length(written) - length(day) - 1 - length(zone)));
  zone := ltrim(zone, ' ');
  parts := array[split_part(day, '-', 1), split_part(day, '-', 2), split_part(day, '-', 3),
    coalesce(nullif(split_part(clock, ':', 1), ''), '0'), coalesce(nullif(split_part(clock, ':', 2), ''), '0'),
    coalesce(nullif(split_part(split_part(clock, ':', 3), '.', 1), ''), '0')]::integer[];
  if parts[1] = 0 or parts[2] not between 1 and 12 or parts[3] not between 1 and 31 then return null; end if;
  if parts[4] > 23 or parts[5] > 59 or parts[6] > 59 then return null; end if;
  if parts[3] > 28
    and parts[3] > extract(day from make_date(parts[1], parts[2], 1) + interval '1 month' - interval '1 day') then
    return null;
  end if;
  if zone ~ '^[+-]' then
    if substr(zone, 2, 2)::integer > 23 or coalesce(nullif(replace(substr(zone, 4), ':', ''), ''), '0')::integer > 59 then
      return null;
    end if;
    ahead := (left(zone, 1) || '1')::integer
      * (substr(zone, 2, 2)::integer * 60 + coalesce(nullif(replace(substr(zone, 4), ':', ''), ''), '0')::integer);
  elsif zone <> '' then
    ahead := case zone
      when 'BST' then 60 when 'CET' then 60 when 'CEST' then 120 when 'EET' then 120 when 'EEST' then 180
      when 'EDT' then -240 when 'EST' then -300 when 'CDT' then -300 when 'CST' then -360
      when 'MDT' then -360 when 'MST' then -420 when 'PDT' then -420 when 'PST' then -480 else 0 end;
  end if;
  return ((make_date(parts[1], parts[2], parts[3]) - date '1970-01-01')::bigint * 86400
      + parts[4] * 3600 + parts[5] * 60 + parts[6] - ahead * 60) * 1000000
    + rpad(left(split_part(clock, '.', 2), 6), 6, '0')::integer;
end $$`;

const NAMES = [
  'property_instant(jsonb, bigint)',
  'relative_instant(text, bigint)',
  'property_number(jsonb)',
  'property_is_true(jsonb)',
  'property_text(jsonb)',
  'property_json(jsonb)',
  'property_number_text(text)',
];

export async function up(knex: Knex): Promise<void> {
  for (const sql of [NUMBER_TEXT, JSON_TEXT, TEXT, IS_TRUE, NUMBER, RELATIVE, INSTANT])
    await knex.raw(sql.replaceAll('?', '\\?'));
}

export async function down(knex: Knex): Promise<void> {
  for (const name of NAMES) await knex.raw(`drop function ${name}`);
}
