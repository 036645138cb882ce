/** The growing tables that have rows of projects, and how the rows of one project are found there. */

/** The object that a row refers to: its project, or something that belongs to one. */
export type Owner = 'project' | 'batch export' | 'run' | 'backfill';

export type ProjectTable = {
  owner: Owner;
  /** Column whose smallest value is the age of the oldest row. */
  clock?: string;
  /** Whether an index finds that value for a project, however many rows it has. */
  clockIsIndexed?: true;
};

export const PROJECT_TABLES: Readonly<Record<string, ProjectTable>> = {
  activity_log: { owner: 'project', clock: 'created_at', clockIsIndexed: true },
  batch_export_artifacts: { owner: 'batch export', clock: 'created_at' },
  batch_export_attempts: { owner: 'run', clock: 'started_at' },
  batch_export_backfill_requests: { owner: 'backfill' },
  batch_export_backfills: { owner: 'project', clock: 'created_at' },
  batch_export_health: { owner: 'batch export' },
  batch_export_intervals: { owner: 'batch export', clock: 'data_interval_start' },
  batch_export_logs: { owner: 'batch export', clock: 'timestamp' },
  batch_export_parts: { owner: 'run', clock: 'staged_at' },
  batch_export_pauses: { owner: 'batch export', clock: 'paused_at' },
  batch_export_places: { owner: 'batch export', clock: 'left_at' },
  batch_export_plan_parts: { owner: 'run', clock: 'planned_at' },
  batch_export_progress: { owner: 'run', clock: 'updated_at' },
  batch_export_requests: { owner: 'batch export', clock: 'created_at' },
  batch_export_runs: { owner: 'project', clock: 'created_at' },
  batch_export_troubles: { owner: 'batch export', clock: 'last_at' },
  cohort_members: { owner: 'project', clock: 'added_at' },
  cookieless_salts: { owner: 'project' },
  erased_deliveries: { owner: 'batch export' },
  erasures: { owner: 'project', clock: 'created_at', clockIsIndexed: true },
  event_ids: { owner: 'project' },
  event_retention: { owner: 'project' },
  events: { owner: 'project', clock: 'interval_time', clockIsIndexed: true },
  feature_flag_awaited_overrides: { owner: 'project' },
  feature_flag_hash_key_overrides: { owner: 'project' },
  flag_definitions: { owner: 'project' },
  flag_request_months: { owner: 'project', clock: 'month', clockIsIndexed: true },
  flag_requests: { owner: 'project', clock: 'day', clockIsIndexed: true },
  foreign_deliveries: { owner: 'batch export', clock: 'found_at' },
  group_types: { owner: 'project' },
  groups: { owner: 'project', clock: 'created_at' },
  import_ranges: { owner: 'project', clock: 'inserted_at', clockIsIndexed: true },
  ingestion_warnings: { owner: 'project', clock: 'minute' },
  insight_results: { owner: 'project', clock: 'computed_at' },
  notifications: { owner: 'project', clock: 'created_at' },
  person_distinct_ids: { owner: 'project' },
  person_states: { owner: 'project', clock: 'stored_at' },
  person_versions: { owner: 'project', clock: 'interval_time', clockIsIndexed: true },
  persons: { owner: 'project', clock: 'created_at', clockIsIndexed: true },
  superseded_files: { owner: 'batch export', clock: 'recorded_at' },
};
