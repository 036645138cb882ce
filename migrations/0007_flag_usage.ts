/** Calls of feature flags are counted by when they happened: this finds them without reading all other events of the time. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index events_flag_calls on events (project_id, "timestamp") where event = '$feature_flag_called';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index events_flag_calls');
}
