/** Erasures: people say of a remainder that they have dealt with it themselves. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table erased_deliveries drop constraint erased_deliveries_state_check;
    alter table erased_deliveries add constraint erased_deliveries_state_check
      check (state in ('held', 'clean', 'remainder', 'not_searched', 'handled'));
    alter table erased_deliveries add column handled_at timestamptz;
    comment on column erased_deliveries.handled_at is 'when somebody said that they have removed what remained';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update erased_deliveries set state = case when reason is null then 'not_searched' else 'remainder' end where state = 'handled';
    alter table erased_deliveries drop column handled_at;
    alter table erased_deliveries drop constraint erased_deliveries_state_check;
    alter table erased_deliveries add constraint erased_deliveries_state_check check (state in ('held', 'clean', 'remainder', 'not_searched'));
  `);
}
