/** Which database delivers, and the deliveries at destinations that it does not know: those of another timeline. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table timeline (
      singleton boolean primary key default true check (singleton),
      id uuid not null default gen_random_uuid(),
      epochs_above bigint not null default 0
    );
    insert into timeline default values;
    comment on table timeline is 'this database as destinations know it; a copy that goes on by itself is another timeline';
    comment on column timeline.epochs_above is 'every epoch that is taken from now on is higher: those of another timeline are not';

    create table foreign_deliveries (
      id uuid primary key default gen_random_uuid(),
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      run_id text not null default '',
      timeline text,
      epoch bigint not null,
      receipt jsonb not null,
      found_at timestamptz not null default clock_timestamp(),
      accepted text check (accepted in ('theirs', 'ours')),
      accepted_at timestamptz,
      unique (batch_export_id, data_interval_start, data_interval_end, run_id, epoch)
    );
    create index foreign_deliveries_waiting on foreign_deliveries (batch_export_id, data_interval_end) where accepted is null;
    comment on table foreign_deliveries is 'found at a destination, not replaced, and of no run of ours: an operator decides';
    comment on column foreign_deliveries.run_id is 'as the destination says it; empty: delivered before destinations kept it';
    comment on column foreign_deliveries.accepted is 'theirs: it stays, as if it were ours; ours: it may be replaced; null: nobody has decided';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table foreign_deliveries, timeline');
}
