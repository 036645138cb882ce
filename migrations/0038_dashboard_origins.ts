/** What a dashboard was made from: told with it, as the client said it. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table dashboards add column use_template text, add column use_dashboard int;
    comment on column dashboards.use_template is 'the built-in template that it was made from';
    comment on column dashboards.use_dashboard is 'the dashboard that it was copied from; dashboards are never removed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table dashboards drop column use_template, drop column use_dashboard');
}
