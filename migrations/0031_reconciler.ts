/**
 * What the reconciler remembers between rounds: data intervals that need attention, and the last round. Troubles have a small
 * table of their own, so that they are counted, listed and timed without a look at every interval. Old processes neither read
 * nor write any of it; what they leave out, the next round of a new process corrects.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table batch_export_troubles (
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      kind text not null check (kind in ('stale', 'unsettled', 'gave_up')),
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      since timestamptz not null default clock_timestamp(),
      last_at timestamptz not null default clock_timestamp(),
      attempts integer not null default 0,
      retry_at timestamptz,
      requested_at timestamptz,
      primary key (batch_export_id, kind, data_interval_start, data_interval_end)
    );
    comment on column batch_export_troubles.since is 'stale: when the first late event was stored';
    comment on column batch_export_troubles.last_at is 'stale: when the newest late event was stored';
    comment on column batch_export_troubles.attempts is 'unsettled: how often settling failed';
    comment on column batch_export_troubles.retry_at is 'unsettled: when settling is tried again';
    comment on column batch_export_troubles.requested_at is 'stale: when a re-delivery was requested';

    alter table batch_export_artifacts add column given_up_at timestamptz;
    comment on column batch_export_artifacts.given_up_at is 'since when the reconciler no longer tries to remove it';

    create table reconciler_rounds (
      id integer primary key check (id = 1),
      finished_at timestamptz not null,
      seconds double precision not null,
      failures integer not null
    );
    comment on table reconciler_rounds is 'the last round, by whichever worker';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table reconciler_rounds, batch_export_troubles;
    alter table batch_export_artifacts drop column given_up_at;
  `);
}
