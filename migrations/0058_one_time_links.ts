/** Links that log somebody in, or set a new password, once. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table one_time_links (
      token_hash bytea primary key,
      purpose text not null check (purpose in ('sign-in', 'reset')),
      user_id integer not null references users on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    comment on column one_time_links.token_hash is 'SHA-256 of what the link carries';
    create index one_time_links_user on one_time_links (user_id);
    create index one_time_links_expires_at on one_time_links (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table one_time_links');
}
