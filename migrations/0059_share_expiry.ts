/** When links of dashboards and insights stop working. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  // `expires_at` exists already: it marks former tokens, which the release before takes for rows that do not count.
  await knex.raw(`
    alter table sharing_configurations add column shared_until timestamptz;
    comment on column sharing_configurations.shared_until is
      'when all tokens of the object stop working; null: never. Set on the row that counts, the one without expires_at';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table sharing_configurations drop column shared_until');
}
