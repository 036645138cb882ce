/** Who made a batch export: they manage it for ever. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_exports add column created_by int references users on delete set null;
    comment on column batch_exports.created_by is 'null: a key of the project, or somebody who is gone';
    create index batch_exports_created_by on batch_exports (created_by);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table batch_exports drop column created_by');
}
