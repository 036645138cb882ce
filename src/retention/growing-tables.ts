/**
 * Every table of the database, with what makes it grow and what limits it. A table that is not here is forgotten until a disk is full, so a
 * test compares the list with the catalogue of a migrated database.
 */
import { EXPIRING_TABLES } from './expiring-tables.ts';
import type { GrowingTable } from './growing-table.ts';

const PEOPLE = 'people, or their scripts';

/** Tables whose rows people make one by one, with the reason why a number of them is no burden. */
const MADE_BY_PEOPLE: Readonly<Record<string, string>> = {
  access_controls: 'objects, members and roles: one rule for each pair',
  api_keys: 'the limit of keys of each user and project',
  batch_export_specs: 'changes of the cadence of batch exports',
  batch_exports:
    'batch exports that were ever made; deleted ones are marked, because deliveries are still known by them',
  cohorts: 'cohorts that were ever made; deleted ones are marked',
  dashboard_buttons: 'tiles',
  dashboard_collaborators: 'dashboards and members',
  dashboard_texts: 'tiles',
  dashboard_tiles: 'the limit of tiles of each dashboard',
  dashboards: 'dashboards that were ever made; deleted ones are marked',
  early_access_features: 'flags',
  experiment_holdouts: 'holdouts',
  experiments: 'experiments that were ever made; deleted ones are marked',
  feature_flags: 'flags that were ever made; deleted ones are marked',
  insights: 'insights that were ever made; deleted ones are marked',
  integrations: 'integrations',
  organization_memberships: 'organizations and users',
  organizations: 'organizations',
  projects: 'projects',
  role_memberships: 'roles and members',
  roles: 'roles',
  share_passwords: 'shared pages',
  sharing_configurations: 'dashboards and insights; former tokens are deleted when another takes their place',
  surveys: 'surveys',
  users: 'users',
};

const EVENT_RETENTION =
  'RETENTION_EVENT_DAYS, or the event_retention_days of their project; without either they are kept (events/table/expiry.ts)';

/** Tables with a limit of their own, or with a clean-up elsewhere. */
const BOUNDED: Readonly<Record<string, { grownBy: string; boundedBy: string }>> = {
  batch_export_artifacts: {
    grownBy: 'staged files and tables',
    boundedBy: 'commits and settling, which remove the records of their data interval (artifacts.store.ts)',
  },
  batch_export_backfill_requests: { grownBy: 'backfills', boundedBy: 'batch_export_requests, with whose rows they go' },
  batch_export_health: { grownBy: 'batch exports', boundedBy: 'batch exports: a row for each' },
  batch_export_places: {
    grownBy: 'changes of destinations',
    boundedBy: 'the reconciler, which forgets places that no run needs (places.store.ts)',
  },
  batch_export_progress: {
    grownBy: 'parts that move',
    boundedBy: 'open runs: it is emptied when a run ends (runs.store.ts)',
  },
  batch_export_troubles: {
    grownBy: 'imports, interrupted commits, failures',
    boundedBy: 'data intervals in trouble: deliveries and the reconciler delete rows that are over (troubles.store.ts)',
  },
  cookieless_salts: { grownBy: 'days', boundedBy: 'the current days: older salts are deleted with each new one' },
  event_ids: {
    grownBy: 'events',
    boundedBy:
      'events: they are deleted with expired ones; those of erased events stay, so that these do not come back',
  },
  event_retention: { grownBy: 'projects', boundedBy: 'projects: a row for each' },
  events: { grownBy: 'capture and imports', boundedBy: EVENT_RETENTION },
  flag_definitions: { grownBy: 'projects', boundedBy: 'projects: a row for each' },
  flag_request_months: { grownBy: 'months', boundedBy: 'projects and months: twelve rows a year for each project' },
  group_types: { grownBy: 'new types of groups', boundedBy: 'the limit of five for each project' },
  import_ranges: { grownBy: 'historical imports', boundedBy: EVENT_RETENTION },
  ingestion_warnings: {
    grownBy: 'refused and changed events',
    boundedBy: '30 days, after which capture deletes them (warning-writer.ts)',
  },
  insight_results: {
    grownBy: 'insights that somebody looks at',
    boundedBy: 'the age of results, which are deleted when others are computed (results.store.ts)',
  },
  login_tries: {
    grownBy: 'attempts to log in',
    boundedBy: 'a limit; quiet subjects are deleted with new ones (login-tries.store.ts)',
  },
  notifications: {
    grownBy: 'notices to webhooks and mail addresses',
    boundedBy: '30 days after they were closed, when the reconciler deletes them (outbox.store.ts)',
  },
  one_time_links: {
    grownBy: 'links to log in or to set a password',
    boundedBy: 'their expiry: expired ones are deleted with each new one (links.store.ts)',
  },
  organization_invites: {
    grownBy: 'invites',
    boundedBy: 'their expiry: expired ones are deleted with each new one (invites.store.ts)',
  },
  person_state_switch: { grownBy: 'nothing', boundedBy: 'one row' },
  person_states: {
    grownBy: 'changes of persons',
    boundedBy:
      'person_versions and persons: what only events of one transaction saw is deleted with expired events (events/table/expiry.ts), all with an erased person',
  },
  reconciler_rounds: { grownBy: 'the reconciler', boundedBy: 'one row, which each round replaces' },
  retention_positions: { grownBy: 'retention', boundedBy: 'tables that are looked through: a row for each' },
  seal: { grownBy: 'seals', boundedBy: 'one row' },
  sessions: {
    grownBy: 'logins',
    boundedBy: 'their expiry and a limit for each user: expired ones are deleted at each login (sessions.store.ts)',
  },
  superseded_files: {
    grownBy: 're-deliveries under versioned names',
    boundedBy: 'the reconciler, which deletes the files or gives them up (superseded-files.store.ts)',
  },
  timeline: { grownBy: 'the witness', boundedBy: 'one row' },
};

const SOURCE =
  'a re-delivery reads it again: without it, fewer rows would replace delivered ones. It is deleted with its project only';
const OF_PERSONS = 'persons are needed by capture, flags and exports. They are deleted by requests of the API only';

/** Tables that grow, and whose deletion is not known to be safe. */
const KEPT: Readonly<Record<string, { grownBy: string; keptBecause: string }>> = {
  batch_export_backfills: {
    grownBy: 'backfills, retries and pauses that end',
    keptBecause: 'each says what somebody asked for, and how that ended',
  },
  batch_export_intervals: {
    grownBy: 'schedules and backfills, with each data interval once',
    keptBecause:
      'the ledger decides which deliveries may be replaced, and without its row an interval would appear as never delivered',
  },
  batch_export_pauses: {
    grownBy: 'pauses',
    keptBecause: 'data intervals of a pause are no gaps: without its row they would be delivered',
  },
  cohort_members: { grownBy: 'persons of static cohorts', keptBecause: 'the cohort is made of them' },
  erased_deliveries: {
    grownBy: 'erasures of persons',
    keptBecause: 'each says what a destination may still hold of an erased person, without naming the person',
  },
  erasures: {
    grownBy: 'requests to delete persons with their events',
    keptBecause: 'each says that somebody asked for it, and how it ended',
  },
  feature_flag_awaited_overrides: {
    grownBy: 'visitors of flags that stay the same after a login',
    keptBecause: 'the flag would change for a person who logs in later',
  },
  feature_flag_hash_key_overrides: {
    grownBy: 'persons of flags that stay the same after a login',
    keptBecause: 'the flag would change for the person',
  },
  foreign_deliveries: {
    grownBy: 'restores',
    keptBecause: 'decisions of operators say which deliveries may be replaced',
  },
  groups: { grownBy: 'groups of events', keptBecause: 'filters of flags ask for their properties' },
  person_distinct_ids: { grownBy: 'new persons and ids', keptBecause: OF_PERSONS },
  person_versions: { grownBy: 'changes of persons', keptBecause: SOURCE },
  persons: { grownBy: 'new persons', keptBecause: OF_PERSONS },
};

export const GROWING_TABLES: Readonly<Record<string, GrowingTable>> = {
  ...EXPIRING_TABLES,
  ...Object.fromEntries(
    Object.entries(MADE_BY_PEOPLE).map(([table, boundedBy]) => [table, { grownBy: PEOPLE, boundedBy }]),
  ),
  ...BOUNDED,
  ...KEPT,
};
