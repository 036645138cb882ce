/** Credentials that several batch exports share: kept once, changed once. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table integrations (
      id integer generated always as identity primary key,
      project_id integer not null references projects (id) on delete cascade,
      kind text not null,
      config jsonb not null,
      secrets text,
      created_at timestamptz not null default clock_timestamp()
    );
    create index integrations_project on integrations (project_id, id);
    comment on column integrations.secrets is 'sealed by the key ring; the row''s id is additional data';

    alter table batch_exports add column integration_id integer references integrations (id);
    create index batch_exports_integration on batch_exports (integration_id) where integration_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table batch_exports drop column integration_id; drop table integrations');
}
