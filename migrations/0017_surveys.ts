/**
 * Early access features and surveys: both make flags and change them, and both are read by web pages.
 *
 * What is told to pages is kept in memory until the project's definitions change, so both tell of their changes as flags do.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(EARLY_ACCESS);
  await knex.raw(SURVEYS);
  await knex.raw(RESPONSES);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index events_surveys;
    drop table surveys, early_access_features;
  `);
}

const tellOf = (table: string) => `
  create trigger ${table}_tell_insert after insert on ${table}
    referencing new table as touched for each statement execute function tell_definitions();
  create trigger ${table}_tell_update after update on ${table}
    referencing new table as touched for each statement execute function tell_definitions();
  create trigger ${table}_tell_delete after delete on ${table}
    referencing old table as touched for each statement execute function tell_definitions();
`;

const EARLY_ACCESS = `
  create table early_access_features (
    id uuid primary key,
    project_id int not null references projects on delete cascade,
    flag_id int not null references feature_flags,
    name text not null,
    description text not null,
    stage text not null
      check (stage in ('draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived')),
    documentation_url text not null,
    payload jsonb not null,
    created_by int references users on delete set null,
    created_at timestamptz not null default now()
  );
  comment on column early_access_features.payload is 'whatever pages are to know of the feature';
  create index early_access_features_project on early_access_features (project_id, created_at, id);
  create unique index early_access_features_flag on early_access_features (flag_id);
  create index early_access_features_created_by on early_access_features (created_by);
  ${tellOf('early_access_features')}
`;

const SURVEYS = `
  create table surveys (
    id uuid primary key,
    project_id int not null references projects on delete cascade,
    name text not null,
    description text not null,
    type text not null check (type in ('popover', 'api', 'widget', 'external_survey')),
    schedule text check (schedule in ('once', 'recurring', 'always')),
    questions jsonb,
    conditions jsonb,
    appearance jsonb,
    start_date timestamptz,
    end_date timestamptz,
    archived boolean not null,
    responses_limit int check (responses_limit > 0),
    linked_flag_id int references feature_flags on delete set null,
    targeting_flag_id int references feature_flags on delete set null,
    internal_targeting_flag_id int references feature_flags on delete set null,
    iteration_count int check (iteration_count >= 0),
    iteration_frequency_days int check (iteration_frequency_days >= 0),
    current_iteration int,
    is_running boolean not null,
    due_at timestamptz,
    response_sampling_start_date timestamptz,
    response_sampling_interval_type text check (response_sampling_interval_type in ('day', 'week', 'month')),
    response_sampling_interval int check (response_sampling_interval > 0),
    response_sampling_limit int check (response_sampling_limit >= 0),
    sampling_paused_until timestamptz,
    enable_partial_responses boolean,
    created_by int references users on delete set null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  comment on column surveys.targeting_flag_id is 'of the flag that was made for it: who is asked';
  comment on column surveys.internal_targeting_flag_id is 'of the flag that keeps out who has answered or dismissed it';
  comment on column surveys.current_iteration is 'counted from 1; null: it is not repeated, or has not begun';
  comment on column surveys.is_running is 'as its flags were last told: it has started, and neither ended nor been archived';
  comment on column surveys.due_at is 'when the clock changes it next: it starts, ends or is repeated; null: never by itself';
  create unique index surveys_name on surveys (project_id, name);
  create index surveys_project on surveys (project_id, created_at, id);
  create index surveys_linked_flag on surveys (linked_flag_id);
  create index surveys_targeting_flag on surveys (targeting_flag_id);
  create index surveys_internal_targeting_flag on surveys (internal_targeting_flag_id);
  create index surveys_created_by on surveys (created_by);
  create index surveys_due on surveys (due_at) where due_at is not null;
  comment on column surveys.sampling_paused_until is 'the interval of its sampling that ends then has its answers';
  create index surveys_limited on surveys (project_id)
    where is_running and (responses_limit is not null or response_sampling_limit > 0);
  ${tellOf('surveys')}
`;

/** Finds what was said of a survey without reading all other events of the time. */
const RESPONSES = `
  create index events_surveys on events (project_id, (properties ->> '$survey_id'), "timestamp")
    where event in ('survey shown', 'survey dismissed', 'survey sent');
`;
