/**
 * Notifications of users whose sessions, keys or memberships ended, on the channel of changes of exports: their streams then end at once,
 * not with the next check of their access. By triggers, so that no store can forget them. Versions that do not know the payload ignore it.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function notify_ended_access() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_export_changes', 'access ' || user_id)
        from (select distinct user_id from ended where user_id is not null) as users;
      return null;
    end $$;
    create trigger sessions_notify_delete after delete on sessions
      referencing old table as ended for each statement execute function notify_ended_access();
    create trigger api_keys_notify_delete after delete on api_keys
      referencing old table as ended for each statement execute function notify_ended_access();
    create trigger organization_memberships_notify_delete after delete on organization_memberships
      referencing old table as ended for each statement execute function notify_ended_access();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function notify_ended_access cascade');
}
