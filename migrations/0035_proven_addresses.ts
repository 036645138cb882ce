/** Which accounts were made by a link that somebody other than the owner of the address had seen. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  // Processes of the release before show every link, and say nothing of it.
  await knex.raw(`
    alter table organization_invites add column link_shown boolean not null default true;
    comment on column organization_invites.link_shown is
      'who invited was shown the link, so that its use does not prove whose address it is';
    alter table users add column is_unproven boolean not null default false;
    comment on column users.is_unproven is
      'made by a link that was shown: a later invite to the address may replace the account';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users drop column is_unproven;
    alter table organization_invites drop column link_shown;
  `);
}
