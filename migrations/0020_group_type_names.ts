/** What people call one group of a type, and several. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table group_types add column name_singular text, add column name_plural text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table group_types drop column name_singular, drop column name_plural');
}
