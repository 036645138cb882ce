/** What senders should know about their events, and whether their addresses are kept. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table projects add column anonymize_ips boolean not null default false;
    comment on column projects.anonymize_ips is 'events are stored without $ip';

    create table ingestion_warnings (
      project_id int not null references projects on delete cascade,
      code text not null,
      minute timestamptz not null,
      count bigint not null,
      last_seen timestamptz not null,
      examples jsonb not null,
      primary key (project_id, code, minute)
    );
    comment on column ingestion_warnings.minute is 'one row for all of a minute';
    comment on column ingestion_warnings.examples is 'the newest first: [{detail, seen_at, distinct_id?, event_uuid?}]';
    create index ingestion_warnings_minute on ingestion_warnings (minute);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table ingestion_warnings; alter table projects drop column anonymize_ips');
}
