/**
 * Feature flags, cohorts, and who changed what.
 *
 * Every process that decides holds the definitions of its projects in memory. `flag_definitions` counts their changes, and each
 * change is told on the channel `sluice_flag_definitions` as `<project id>:<version>` when it commits: by triggers, so that no
 * store can forget it. Writers take `pg_advisory_xact_lock(7316008, project)` first: the count is a row that they all change.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(DEFINITIONS);
  await knex.raw(FLAGS);
  await knex.raw(COHORTS);
  await knex.raw(ACTIVITY);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger group_types_tell_definitions on group_types;
    drop trigger projects_tell_definitions on projects;
    drop table activity_log, cohort_members, cohorts, feature_flags;
    alter table projects drop column timezone;
    drop function tell_definitions, tell_project_definitions, tell_cohort_definitions, count_definitions;
    drop table flag_definitions;
  `);
}

const DEFINITIONS = `
  create table flag_definitions (
    project_id int primary key references projects on delete cascade,
    version bigint not null
  );
  comment on table flag_definitions is 'how often what flags are evaluated from has changed';

  create function count_definitions(changed int[]) returns void language sql as $$
    with counted as (
      insert into flag_definitions as known (project_id, version)
        select id, 1 from projects where id = any (changed) order by id
        on conflict (project_id) do update set version = known.version + 1
        returning project_id, version
    )
    select pg_notify('sluice_flag_definitions', project_id || ':' || version) from counted;
  $$;

  -- Of a statement, the projects whose rows it changed.
  create function tell_definitions() returns trigger language plpgsql as $$
  begin
    perform count_definitions(array(select distinct project_id from touched));
    return null;
  end $$;

  create function tell_project_definitions() returns trigger language plpgsql as $$
  begin
    perform count_definitions(array(select id from touched));
    return null;
  end $$;

  alter table projects add column timezone text not null default 'UTC';
  comment on column projects.timezone is 'IANA name: whose clock dates without an offset are read by';
  create trigger projects_tell_definitions after update on projects
    referencing new table as touched for each statement execute function tell_project_definitions();
  create trigger group_types_tell_definitions after insert on group_types
    referencing new table as touched for each statement execute function tell_definitions();
`;

/** Each kind of change needs a trigger of its own: their transition tables differ. */
const tellOf = (table: string) => `
  create trigger ${table}_tell_insert after insert on ${table}
    referencing new table as touched for each statement execute function tell_definitions();
  create trigger ${table}_tell_update after update on ${table}
    referencing new table as touched for each statement execute function tell_definitions();
  create trigger ${table}_tell_delete after delete on ${table}
    referencing old table as touched for each statement execute function tell_definitions();
`;

const FLAGS = `
  create table feature_flags (
    id integer generated always as identity primary key,
    project_id int not null references projects on delete cascade,
    key text not null,
    name text not null,
    filters jsonb not null,
    active boolean not null,
    deleted boolean not null default false,
    version int not null default 1,
    ensure_experience_continuity boolean not null,
    evaluation_runtime text not null check (evaluation_runtime in ('all', 'client', 'server')),
    bucketing_identifier text not null check (bucketing_identifier in ('distinct_id', 'device_id')),
    evaluation_contexts text[] not null,
    tags text[] not null,
    is_remote_configuration boolean not null,
    has_encrypted_payloads boolean not null,
    sealed_payloads text,
    created_by int references users on delete set null,
    last_modified_by int references users on delete set null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  comment on column feature_flags.name is 'describes the flag';
  comment on column feature_flags.sealed_payloads is 'the payloads of a flag with encrypted payloads; its filters then hold none';
  create unique index feature_flags_key on feature_flags (project_id, key) where not deleted;
  -- Ids, as text, of the flags that its conditions depend on.
  create index feature_flags_dependencies on feature_flags using gin
    (jsonb_path_query_array(filters, '$.groups[*].properties[*] \\? (@.type == "flag").key')) where not deleted;
  create index feature_flags_created_by on feature_flags (created_by);
  create index feature_flags_last_modified_by on feature_flags (last_modified_by);
  ${tellOf('feature_flags')}
`;

const COHORTS = `
  create table cohorts (
    id integer generated always as identity primary key,
    project_id int not null references projects on delete cascade,
    name text not null,
    description text not null,
    is_static boolean not null,
    filters jsonb not null,
    count bigint,
    count_error text,
    counting_until timestamptz,
    last_calculation timestamptz,
    deleted boolean not null default false,
    version int not null default 1,
    created_by int references users on delete set null,
    created_at timestamptz not null default now()
  );
  comment on column cohorts.filters is '{properties: {type, values}}; empty when it is static';
  comment on column cohorts.count is 'of its persons, when it was last counted; null: never, or that was given up';
  comment on column cohorts.count_error is 'why it was given up';
  comment on column cohorts.counting_until is 'it is being counted, unless that process ended: then nobody counts any more';
  create index cohorts_project on cohorts (project_id, id) where not deleted;
  create index cohorts_created_by on cohorts (created_by);
  create trigger cohorts_tell_insert after insert on cohorts
    referencing new table as touched for each statement execute function tell_definitions();
  -- Not when its persons were only counted.
  create function tell_cohort_definitions() returns trigger language plpgsql as $$
  begin
    perform count_definitions(array(
      select distinct after.project_id from rows_after as after join rows_before as before using (id)
      where (after.filters, after.is_static, after.deleted) is distinct from (before.filters, before.is_static, before.deleted)));
    return null;
  end $$;
  create trigger cohorts_tell_update after update on cohorts
    referencing old table as rows_before new table as rows_after for each statement execute function tell_cohort_definitions();
  create trigger cohorts_tell_delete after delete on cohorts
    referencing old table as touched for each statement execute function tell_definitions();

  -- The persons of static cohorts.
  create table cohort_members (
    project_id int not null,
    cohort_id int not null references cohorts on delete cascade,
    person_id uuid not null,
    added_at timestamptz not null default now(),
    primary key (project_id, person_id, cohort_id),
    foreign key (project_id, person_id) references persons on delete cascade
  );
  create index cohort_members_cohort on cohort_members (cohort_id, person_id);
`;

const ACTIVITY = `
  create table activity_log (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    project_id int references projects on delete cascade,
    scope text not null,
    item_id text not null,
    activity text not null,
    detail jsonb not null,
    user_id int references users on delete set null,
    key_id uuid,
    created_at timestamptz not null default now()
  );
  comment on column activity_log.scope is 'the kind of object that was changed: FeatureFlag, Cohort, ...';
  comment on column activity_log.detail is '{name, changes: [{field, action, before, after}]}; no secrets';
  comment on column activity_log.key_id is 'of the API key; it may be gone';
  create index activity_log_item on activity_log (project_id, scope, item_id, created_at, id);
  create index activity_log_project on activity_log (project_id, created_at, id);
  create index activity_log_organization on activity_log (organization_id, created_at, id);
  create index activity_log_user on activity_log (user_id);
`;
