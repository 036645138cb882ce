/** What an export contains beside a model's rows as they are; plans say it, too, and carry the types of their columns. */
import type { Knex } from '../src/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_exports
      add column filters jsonb not null default '[]',
      add column hogql_query text,
      add column include_columns jsonb,
      add column exclude_columns jsonb not null default '[]',
      add column transformations jsonb not null default '[]',
      add column hash_key text;
    comment on column batch_exports.hash_key is 'sealed by the key ring; the row''s id is additional data';

    update batch_export_runs set plan = plan || jsonb_build_object('formatVersion', 2, 'content', ${EVERY_EVENT}, 'columns', (
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
    update batch_export_runs set plan = plan - 'content' || jsonb_build_object('formatVersion', 1, 'columns',
        (select jsonb_agg(given -> 'name' order by place) from jsonb_array_elements(plan -> 'columns') with ordinality as given (given, place)))
      where plan is not null;
    alter table batch_exports
      drop column filters, drop column hogql_query, drop column include_columns, drop column exclude_columns,
      drop column transformations, drop column hash_key;
  `);
}

const EVERY_EVENT = `'{"model": "events", "includeEvents": [], "excludeEvents": [], "filters": [], "query": null,
  "includeColumns": null, "excludeColumns": [], "transformations": []}'::jsonb`;
