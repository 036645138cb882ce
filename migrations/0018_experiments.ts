/**
 * Experiments on feature flags, and the holdouts that they share.
 *
 * A holdout is copied into the filters of its experiments' flags, so what flags are decided by changes with those. Of an experiment itself
 * decisions tell only that it is there.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table experiment_holdouts (
      id integer generated always as identity primary key,
      project_id int not null references projects on delete cascade,
      name text not null,
      description text not null,
      exclusion_percentage float8 not null check (exclusion_percentage between 0 and 100),
      created_by int references users on delete set null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index experiment_holdouts_project on experiment_holdouts (project_id, id);
    create index experiment_holdouts_created_by on experiment_holdouts (created_by);

    create table experiments (
      id integer generated always as identity primary key,
      project_id int not null references projects on delete cascade,
      flag_id int not null references feature_flags,
      holdout_id int references experiment_holdouts,
      name text not null,
      description text not null,
      type text not null check (type in ('product', 'web')),
      start_date timestamptz,
      end_date timestamptz,
      parameters jsonb not null,
      filters jsonb not null,
      metrics jsonb not null,
      metrics_secondary jsonb not null,
      exposure_criteria jsonb not null,
      archived boolean not null default false,
      deleted boolean not null default false,
      created_by int references users on delete set null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (end_date is null or (start_date is not null and start_date < end_date))
    );
    comment on column experiments.start_date is 'when it was launched; null: a draft';
    comment on column experiments.end_date is 'when it ended; null: it has not';
    create index experiments_project on experiments (project_id, id) where not deleted;
    create index experiments_flag on experiments (flag_id);
    create index experiments_holdout on experiments (holdout_id);
    create index experiments_created_by on experiments (created_by);

    create function tell_experiment_definitions() returns trigger language plpgsql as $$
    begin
      perform count_definitions(array[coalesce(new.project_id, old.project_id)]);
      return null;
    end $$;
    create trigger experiments_tell_presence after insert or delete on experiments
      for each row execute function tell_experiment_definitions();
    create trigger experiments_tell_update after update on experiments for each row
      when ((old.flag_id, old.deleted) is distinct from (new.flag_id, new.deleted))
      execute function tell_experiment_definitions();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table experiments, experiment_holdouts;
    drop function tell_experiment_definitions;
  `);
}
