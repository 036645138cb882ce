/** The parts of large plans as rows: as one document, every part of a run read all of them again. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table batch_export_plan_parts (
      run_id uuid not null references batch_export_runs (id) on delete cascade,
      part integer not null,
      rows bigint not null,
      from_time timestamptz,
      from_uuid uuid,
      primary key (run_id, part)
    );
    comment on table batch_export_plan_parts is 'of plans whose JSON holds no parts; a part ends where the next one begins';
    comment on column batch_export_plan_parts.from_time is 'null: the part begins with the data interval';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table batch_export_plan_parts');
}
