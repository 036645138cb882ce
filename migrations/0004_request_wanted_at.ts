/** A request may be asked for again while it is open: a run that was planned before then does not answer it. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_requests add column wanted_at timestamptz not null default clock_timestamp();
    comment on column batch_export_requests.wanted_at is 'when it was asked for last: only a run with a later cutoff answers it';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table batch_export_requests drop column wanted_at');
}
