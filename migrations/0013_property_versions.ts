/** What filters on versions compare, as Postgres computes it: the order of `src/conditions/operators/semver.ts`. */
import type { Knex } from '../src/platform/db/connection.ts';

/** A list of identifiers as a text whose bytes sort as semver sorts the list. */
const IDENTIFIERS = `
create function version_identifiers(listed text, leading_zeros boolean) returns text language plpgsql immutable parallel safe as $$
declare
  key text := '';
  one text;
begin
  foreach one in array string_to_array(listed, '.') loop
    if one = '' or (one ~ '^0[0-9]+$' and not leading_zeros) then return null; end if;
    if one ~ '^[0-9]+$' then
      one := coalesce(nullif(ltrim(one, '0'), ''), '0');
      key := key || '0' || lpad(length(one)::text, 9, '0') || one || ',';
    else
      key := key || '1' || one || ',';
    end if;
  end loop;
  return key;
end $$`;

/**
 * A version as a text whose bytes (collation C) sort as semver sorts versions: three numbers of 20 digits, then \`~\` for a release or \`-\`
 * and the pre-release, then \`+\` and the build. \`lenient\` leaves out what follows a third number.
 */
const VERSION = `
create function property_version(value jsonb, lenient boolean) returns text language plpgsql immutable strict parallel safe as $$
declare
  written text := property_text(value);
  found text[];
  numbers text[];
  pre_release text := '';
  build text := '';
begin
  -- Most are written so.
  if written ~ '^[0-9]{1,9}[.][0-9]{1,9}([.][0-9]{1,9})?$' then
    return lpad(split_part(written, '.', 1), 20, '0') || lpad(split_part(written, '.', 2), 20, '0')
      || lpad(split_part(written, '.', 3), 20, '0') || '~+';
  end if;
  if lenient then written := regexp_replace(written, '^(v?\\s*[0-9]+[.][0-9]+[.][0-9]+)([.][0-9]+)+\\s*$', '\\1'); end if;
  found := regexp_match(
    btrim(regexp_replace(written, '^v', ''), E' \\t\\n\\x0b\\f\\r\\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'),
    '^([0-9]+)(?:[.]([0-9]+))?(?:[.]([0-9]+))?(?:-([0-9A-Za-z.-]+))?(?:[+]([0-9A-Za-z.-]+))?$');
  if found is null then return null; end if;
  numbers := array[ltrim(found[1], '0'), ltrim(coalesce(found[2], '0'), '0'), ltrim(coalesce(found[3], '0'), '0')];
  for place in 1..3 loop
    if length(numbers[place]) > 20 or lpad(numbers[place], 20, '0') > '18446744073709551615' then return null; end if;
  end loop;
  if found[4] is not null then pre_release := version_identifiers(found[4], false); end if;
  if found[5] is not null then build := version_identifiers(found[5], true); end if;
  return lpad(numbers[1], 20, '0') || lpad(numbers[2], 20, '0') || lpad(numbers[3], 20, '0')
    || case when found[4] is null then '~' else '-' end || pre_release || '+' || build;
end $$`;

export async function up(knex: Knex): Promise<void> {
  for (const sql of [IDENTIFIERS, VERSION]) await knex.raw(sql.replaceAll('?', '\\?'));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function property_version(jsonb, boolean)');
  await knex.raw('drop function version_identifiers(text, boolean)');
}
