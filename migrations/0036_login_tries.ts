/** Tries to log in, counted for all processes together. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table login_tries (
      subject bytea primary key,
      paid_at timestamptz not null
    );
    comment on table login_tries is 'may be emptied at any time: who was quiet has no row';
    comment on column login_tries.subject is 'SHA-256 of an account or an address that tries';
    comment on column login_tries.paid_at is 'each try puts it off; too far ahead of now(), there are no more';
    create index login_tries_paid_at on login_tries (paid_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table login_tries');
}
