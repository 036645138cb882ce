/** Dashboards, what is on them, who may change them, and under which links strangers see them. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(DASHBOARDS);
  await knex.raw(INSIGHTS);
  await knex.raw(TILES);
  await knex.raw(SHARING);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table share_passwords, sharing_configurations, dashboard_tiles, dashboard_buttons, dashboard_texts, insight_results,
      insights, dashboard_collaborators, dashboards;
  `);
}

const DASHBOARDS = `
  create table dashboards (
    id integer generated always as identity primary key,
    project_id int not null references projects on delete cascade,
    name text check (length(name) <= 400),
    description text not null default '',
    pinned boolean not null default false,
    deleted boolean not null default false,
    creation_mode text not null default 'default' check (creation_mode in ('default', 'template', 'duplicate', 'unlisted')),
    restriction_level smallint not null default 21 check (restriction_level in (21, 37)),
    filters jsonb not null default '{}',
    variables jsonb not null default '{}',
    breakdown_colors jsonb not null default '[]',
    data_color_theme_id int,
    quick_filter_ids jsonb not null default '[]',
    tags text[] not null default '{}',
    version int not null default 1,
    created_by int references users on delete set null,
    created_at timestamptz not null default now(),
    last_accessed_at timestamptz,
    last_refresh timestamptz
  );
  comment on column dashboards.restriction_level is '21: everybody in the project may edit; 37: only collaborators, its creator and admins';
  comment on column dashboards.version is 'counts its changes and those of its tiles';
  create index dashboards_listed on dashboards (project_id, pinned desc, name, id) where not deleted;
  create index dashboards_created_by on dashboards (created_by);

  create table dashboard_collaborators (
    id uuid primary key,
    dashboard_id int not null references dashboards on delete cascade,
    user_id int not null references users on delete cascade,
    level smallint not null check (level in (21, 37)),
    added_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint dashboard_collaborators_once unique (dashboard_id, user_id)
  );
  create index dashboard_collaborators_user on dashboard_collaborators (user_id);
`;

const INSIGHTS = `
  create table insights (
    id integer generated always as identity primary key,
    short_id text not null,
    project_id int not null references projects on delete cascade,
    name text check (length(name) <= 400),
    derived_name text check (length(derived_name) <= 400),
    description text not null default '',
    query jsonb,
    filters jsonb not null default '{}',
    tags text[] not null default '{}',
    favorited boolean not null default false,
    saved boolean not null default false,
    is_sample boolean not null default false,
    deleted boolean not null default false,
    version int not null default 1,
    created_by int references users on delete set null,
    created_at timestamptz not null default now(),
    last_modified_by int references users on delete set null,
    last_modified_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint insights_short_id unique (project_id, short_id)
  );
  create index insights_listed on insights (project_id, id) where not deleted;
  create index insights_created_by on insights (created_by);
  create index insights_last_modified_by on insights (last_modified_by);

  -- What a query gave when it was last computed: a cache, that may be emptied at any time.
  create table insight_results (
    project_id int not null references projects on delete cascade,
    query_hash bytea not null,
    result jsonb not null,
    computed_at timestamptz not null,
    primary key (project_id, query_hash)
  );
  comment on column insight_results.query_hash is 'SHA-256 of the query with all that is laid over it, in canonical JSON';
  create index insight_results_computed_at on insight_results (computed_at);
`;

const TILES = `
  create table dashboard_texts (
    id integer generated always as identity primary key,
    project_id int not null references projects on delete cascade,
    body text check (length(body) <= 4000),
    created_by int references users on delete set null,
    last_modified_by int references users on delete set null,
    last_modified_at timestamptz not null default now()
  );
  create index dashboard_texts_project on dashboard_texts (project_id);
  create index dashboard_texts_created_by on dashboard_texts (created_by);
  create index dashboard_texts_last_modified_by on dashboard_texts (last_modified_by);

  create table dashboard_buttons (
    id uuid primary key,
    project_id int not null references projects on delete cascade,
    url text not null check (length(url) <= 2000),
    text text not null check (length(text) <= 200),
    placement text not null check (placement in ('left', 'right')),
    style text not null check (style in ('primary', 'secondary'))
  );
  create index dashboard_buttons_project on dashboard_buttons (project_id);

  create table dashboard_tiles (
    id integer generated always as identity primary key,
    dashboard_id int not null references dashboards on delete cascade,
    insight_id int references insights on delete cascade,
    text_id int references dashboard_texts on delete cascade,
    button_id uuid references dashboard_buttons on delete cascade,
    layouts jsonb not null default '{}',
    color text check (length(color) <= 400),
    filters_overrides jsonb not null default '{}',
    show_description boolean,
    transparent_background boolean,
    deleted boolean not null default false,
    constraint dashboard_tiles_one_content check (num_nonnulls(insight_id, text_id, button_id) = 1)
  );
  create unique index dashboard_tiles_insight on dashboard_tiles (dashboard_id, insight_id) where insight_id is not null;
  create unique index dashboard_tiles_text on dashboard_tiles (dashboard_id, text_id) where text_id is not null;
  create unique index dashboard_tiles_button on dashboard_tiles (dashboard_id, button_id) where button_id is not null;
  create index dashboard_tiles_of_insight on dashboard_tiles (insight_id);
  create index dashboard_tiles_of_text on dashboard_tiles (text_id);
  create index dashboard_tiles_of_button on dashboard_tiles (button_id);
`;

const SHARING = `
  create table sharing_configurations (
    id integer generated always as identity primary key,
    project_id int not null references projects on delete cascade,
    dashboard_id int references dashboards on delete cascade,
    insight_id int references insights on delete cascade,
    access_token text not null unique check (length(access_token) <= 400),
    enabled boolean not null default false,
    settings jsonb,
    password_required boolean not null default false,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    constraint sharing_configurations_one_object check (num_nonnulls(dashboard_id, insight_id) = 1)
  );
  comment on column sharing_configurations.expires_at is 'it was replaced by another, and is good until then';
  create index sharing_configurations_project on sharing_configurations (project_id);
  create unique index sharing_configurations_dashboard on sharing_configurations (dashboard_id) where expires_at is null;
  create unique index sharing_configurations_insight on sharing_configurations (insight_id) where expires_at is null;
  create index sharing_configurations_of_dashboard on sharing_configurations (dashboard_id);
  create index sharing_configurations_of_insight on sharing_configurations (insight_id);

  create table share_passwords (
    id integer generated always as identity primary key,
    sharing_configuration_id int not null references sharing_configurations on delete cascade,
    password_hash text not null,
    note text check (length(note) <= 100),
    is_active boolean not null default true,
    created_by int references users on delete set null,
    created_at timestamptz not null default now()
  );
  create index share_passwords_configuration on share_passwords (sharing_configuration_id);
  create index share_passwords_created_by on share_passwords (created_by);
`;
