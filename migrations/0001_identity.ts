/** Who may do what: organizations, their users and projects, and the keys that programs use. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table organizations (
      id uuid primary key,
      name text not null,
      created_at timestamptz not null default now()
    );

    create table users (
      id integer generated always as identity primary key,
      uuid uuid not null unique,
      distinct_id text not null unique,
      first_name text not null default '',
      last_name text not null default '',
      email text not null,
      is_email_verified boolean not null default false,
      hedgehog_config jsonb not null default '{}',
      role_at_organization text not null default '',
      created_at timestamptz not null default now()
    );
    create unique index users_email on users (lower(email));

    create table organization_memberships (
      organization_id uuid not null references organizations on delete cascade,
      user_id integer not null references users on delete cascade,
      role text not null check (role in ('member', 'admin', 'owner')),
      created_at timestamptz not null default now(),
      primary key (organization_id, user_id)
    );
    create index organization_memberships_user on organization_memberships (user_id);

    create table projects (
      id integer generated always as identity primary key,
      organization_id uuid not null references organizations on delete cascade,
      name text not null,
      api_token text not null unique check (api_token like 'phc\\_%'),
      -- Whether the public project key may place events in the past; otherwise that needs a secret key.
      historical_from_project_key boolean not null default false,
      created_at timestamptz not null default now()
    );
    create index projects_organization on projects (organization_id);

    -- A personal key acts as its user, a project secret key as its project.
    create table api_keys (
      id uuid primary key,
      label text not null,
      scopes text[] not null,
      hash bytea not null unique check (octet_length(hash) = 32),
      last4 text not null,
      user_id integer references users on delete cascade,
      project_id integer references projects on delete cascade,
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      constraint api_keys_one_owner check (num_nonnulls(user_id, project_id) = 1)
    );
    create index api_keys_user on api_keys (user_id) where user_id is not null;
    create index api_keys_project on api_keys (project_id) where project_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table api_keys, projects, organization_memberships, users, organizations');
}
