/**
 * Requests for flags: who made how many, and how many a project may make.
 *
 * `flag_requests` is for looking at, `flag_request_months` for the quota: every process asks for it every few seconds, and must not add up
 * a month's rows.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table flag_requests (
      project_id int not null references projects on delete cascade,
      day date not null,
      kind text not null check (kind in ('decide', 'definitions', 'ofrep')),
      key text not null,
      key_id uuid,
      sdk text not null,
      requests bigint not null,
      constraint flag_requests_once unique nulls not distinct (project_id, day, kind, key, key_id, sdk)
    );
    comment on column flag_requests.day is 'in UTC';
    comment on column flag_requests.key is 'what may be shown of it';
    comment on column flag_requests.key_id is 'of the API key, which may be gone; null: the public key of the project';
    comment on column flag_requests.sdk is 'name/version, as the requests say';

    create table flag_request_months (
      project_id int not null references projects on delete cascade,
      month date not null,
      requests bigint not null,
      primary key (project_id, month)
    );
    comment on column flag_request_months.month is 'its first day, in UTC';

    alter table projects
      add column flag_requests_per_month bigint check (flag_requests_per_month >= 0),
      add column property_matching_version smallint not null default 1 check (property_matching_version in (1, 2));
    comment on column projects.flag_requests_per_month is 'more are not answered; null: all are';
    comment on column projects.property_matching_version is
      'how flags compare with true and false: 1 by truth, 2 by text';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table projects drop column flag_requests_per_month, drop column property_matching_version;
    drop table flag_request_months, flag_requests;
  `);
}
