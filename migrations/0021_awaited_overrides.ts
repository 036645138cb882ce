/**
 * Which hash decides a flag for a distinct id that has no person yet. SDKs say once that a visitor was identified, when they ask for
 * flags, and that is seconds before the event that makes the person: without this, flags would keep their answer only until the next page.
 */
import type { Knex } from '../src/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table feature_flag_awaited_overrides (
      project_id int not null references projects on delete cascade,
      distinct_id text not null,
      feature_flag_key text not null,
      hash_key text not null,
      primary key (project_id, distinct_id, feature_flag_key)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table feature_flag_awaited_overrides');
}
