/** People who log in, what they belong to, keys that end and change, and rules of who may do what with single objects. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(ORGANIZATIONS);
  await knex.raw(PEOPLE);
  await knex.raw(KEYS);
  await knex.raw(RULES);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table access_controls;
    alter table api_keys
      drop constraint api_keys_former_hash_ends,
      drop column description, drop column only_projects, drop column only_organizations, drop column expires_at,
      drop column last_rolled_at, drop column former_hash, drop column former_hash_until, drop column created_by;
    drop table sessions, organization_invites, role_memberships, roles;
    alter table users
      drop column is_active, drop column password_hash, drop column current_project_id, drop column theme_mode,
      drop column updated_at;
    alter table organization_memberships drop column id, drop column updated_at;
    alter table projects drop column uuid, drop column updated_at;
    alter table organizations
      drop column updated_at, drop column members_can_invite,
      drop column members_can_use_personal_api_keys, drop column allow_publicly_shared_resources;
  `);
}

const ORGANIZATIONS = `
  alter table organizations
    add column updated_at timestamptz not null default now(),
    add column members_can_invite boolean not null default true,
    add column members_can_use_personal_api_keys boolean not null default true,
    add column allow_publicly_shared_resources boolean not null default true;
  alter table projects
    add column uuid uuid not null unique default gen_random_uuid(),
    add column updated_at timestamptz not null default now();
  alter table organization_memberships
    add column id uuid not null unique default gen_random_uuid(),
    add column updated_at timestamptz not null default now();
  comment on column organization_memberships.id is 'what access rules and the members API name a member by';

  create table roles (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    name text not null,
    created_by int references users on delete set null,
    created_at timestamptz not null default now()
  );
  create unique index roles_name on roles (organization_id, lower(name));
  create index roles_created_by on roles (created_by);

  create table role_memberships (
    id uuid primary key,
    role_id uuid not null references roles on delete cascade,
    membership_id uuid not null references organization_memberships (id) on delete cascade,
    joined_at timestamptz not null default now(),
    constraint role_memberships_once unique (role_id, membership_id)
  );
  create index role_memberships_membership on role_memberships (membership_id);

  create table organization_invites (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    email text not null,
    first_name text not null,
    message text not null,
    role text not null check (role in ('member', 'admin', 'owner')),
    token_hash bytea not null unique,
    mailed boolean not null default false,
    created_by int references users on delete set null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  );
  comment on column organization_invites.token_hash is 'SHA-256 of what the link carries';
  create unique index organization_invites_email on organization_invites (organization_id, lower(email));
  create index organization_invites_expires_at on organization_invites (expires_at);
  create index organization_invites_created_by on organization_invites (created_by);
`;

const PEOPLE = `
  alter table users
    add column is_active boolean not null default true,
    add column password_hash text,
    add column current_project_id int references projects on delete set null,
    add column theme_mode text check (theme_mode in ('light', 'dark', 'system')),
    add column updated_at timestamptz not null default now();
  comment on column users.password_hash is 'null: cannot log in, only use keys';
  comment on column users.current_project_id is 'what @current stands for';
  create index users_current_project on users (current_project_id);

  create table sessions (
    id uuid primary key,
    token_hash bytea not null unique,
    user_id int not null references users on delete cascade,
    created_at timestamptz not null default now(),
    authenticated_at timestamptz not null default now(),
    expires_at timestamptz not null
  );
  comment on column sessions.token_hash is 'SHA-256 of the cookie';
  comment on column sessions.authenticated_at is 'when the password was last given: sensitive actions need that to be recent';
  create index sessions_user on sessions (user_id);
  create index sessions_expires_at on sessions (expires_at);
`;

const KEYS = `
  alter table api_keys
    add column description text not null default '',
    add column only_projects int[],
    add column only_organizations uuid[],
    add column expires_at timestamptz,
    add column last_rolled_at timestamptz,
    add column former_hash bytea unique,
    add column former_hash_until timestamptz,
    add column created_by int references users on delete set null,
    add constraint api_keys_former_hash_ends check ((former_hash is null) = (former_hash_until is null));
  comment on column api_keys.only_projects is 'the key opens no other; null: all of its owner';
  comment on column api_keys.former_hash is 'of the value before the last roll, good until former_hash_until';
  comment on column api_keys.created_by is 'who made a key of a project';
  create index api_keys_created_by on api_keys (created_by);
`;

const RULES = `
  create table access_controls (
    id uuid primary key,
    project_id int not null references projects on delete cascade,
    resource text not null,
    resource_id text,
    membership_id uuid references organization_memberships (id) on delete cascade,
    role_id uuid references roles on delete cascade,
    access_level text not null check (access_level in ('none', 'viewer', 'editor', 'manager', 'member', 'admin')),
    created_by int references users on delete set null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint access_controls_one_subject check (num_nonnulls(membership_id, role_id) <= 1),
    constraint access_controls_once unique nulls not distinct (project_id, resource, resource_id, membership_id, role_id)
  );
  comment on column access_controls.resource is 'the kind of object, as in scopes: dashboard, feature_flag, ...; project for the project itself';
  comment on column access_controls.resource_id is 'null: all objects of the kind';
  comment on column access_controls.membership_id is 'neither member nor role: the rule for everybody';
  create index access_controls_membership on access_controls (membership_id);
  create index access_controls_role on access_controls (role_id);
  create index access_controls_created_by on access_controls (created_by);
`;
