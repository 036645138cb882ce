/** What an export contains beside a model's rows as they are; plans say it, too, and carry the types of their columns. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(HASH);
  await knex.raw(`
    alter table batch_exports
      add column content jsonb not null
        default '{"filters": [], "query": null, "includeColumns": null, "excludeColumns": [], "transformations": []}',
      add column hash_key text;
    comment on column batch_exports.hash_key is 'sealed by the key ring; the row''s id is additional data';

    update batch_export_runs set plan = plan || jsonb_build_object('formatVersion', 2, 'content', ${EVERY_EVENT}, 'hashKey', null, 'columns', (
      select jsonb_agg(jsonb_build_object('name', name, 'type', case
          when name in ('uuid', 'person_id') then 'uuid'
          when name in ('properties', 'person_properties', 'set', 'set_once') then 'jsonb'
          when name in ('timestamp', 'created_at', '_inserted_at') then 'timestamptz'
          when name = 'team_id' then 'int4' else 'text' end) order by place)
        from jsonb_array_elements_text(plan -> 'columns') with ordinality as given (name, place)))
      where plan is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update batch_export_runs set plan = plan - 'content' - 'hashKey' || jsonb_build_object('formatVersion', 1, 'columns',
        (select jsonb_agg(given -> 'name' order by place) from jsonb_array_elements(plan -> 'columns') with ordinality as given (given, place)))
      where plan is not null;
    alter table batch_exports drop column content, drop column hash_key;
    drop function hash_property, keyed_hash;
  `);
}

const HASH = `
  -- HMAC-SHA256 (RFC 2104), hex. Whoever calls it has set the key, padded to 64 bytes and mixed with 0x36 and 0x5c, in hex.
  create function keyed_hash(given text) returns text language sql stable strict parallel safe as $$
    select encode(sha256(decode(current_setting('sluice.hash_outer'), 'hex') ||
      sha256(decode(current_setting('sluice.hash_inner'), 'hex') || convert_to(given, 'UTF8'))), 'hex')
  $$;

  -- The text of what is found there is replaced by its hash; nothing and null stay as they are.
  create function hash_property(given jsonb, path text[]) returns jsonb language sql stable parallel safe as $$
    select case when given #>> path is null then given
      else jsonb_set(given, path, to_jsonb(keyed_hash(given #>> path)), false) end
  $$;
`;

const EVERY_EVENT = `'{"model": "events", "includeEvents": [], "excludeEvents": [], "filters": [], "query": null,
  "includeColumns": null, "excludeColumns": [], "transformations": []}'::jsonb`;
