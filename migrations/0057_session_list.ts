/** What people tell their sessions apart by. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  // Processes of the release before say neither.
  await knex.raw(`
    alter table sessions
      add column device text not null default '' check (length(device) <= 100),
      add column network text not null default '' check (length(network) <= 100),
      add column last_seen_at timestamptz;
    comment on column sessions.device is 'browser and system, as far as the user agent says';
    comment on column sessions.network is 'where the password was last given: a /24 of IPv4, a /48 of IPv6';
    comment on column sessions.last_seen_at is 'exact to a minute; null: not since it began';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions drop column last_seen_at, drop column network, drop column device');
}
