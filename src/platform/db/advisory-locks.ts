/**
 * Advisory locks of every version of Sluice, with their keys. Processes of two versions run side by side during an upgrade. They exclude
 * each other only while a key keeps its number and its form, because Postgres keeps locks with one key apart from locks with two.
 */
// tooth: postgres-tables-lock
export const ADVISORY_LOCKS = {
  /** Form: one key, of a session. Migrators take turns. */
  migrations: 7_316_001,
  /** Form: one key. Writers of events hold it, shared, by `ingest_now()`; a seal lists its holders. */
  eventWriters: 7_316_002,
  /** Form: (key, project). Merges and deletions of a project's persons hold it; held shared, it keeps others from merging and deleting. */
  personMerges: 7_316_003,
  /** Form: one key. `make_event_partitions` makes partitions one at a time. */
  eventPartitions: 7_316_004,
  /** Form: one key. First starts take turns to make the demo. */
  demo: 7_316_005,
  /** Form: (key, project). `ensure_group_types` numbers the group types of a project one at a time. */
  groupTypes: 7_316_006,
  /** Form: (key, project). Changes of a project's flags and cohorts take turns. */
  flagChanges: 7_316_008,
  /** Form: (key, project). Changes of a project's dashboards and insights take turns. */
  dashboardChanges: 7_316_009,
  /** Form: (key, the first four bytes of the query's hash). A result of an insight is computed once. */
  insightResults: 7_316_010,
  /** Form: (key, project). Backfills of a project are counted one at a time. */
  backfillsOfProject: 7_316_011,
  /** Form: (key, project). Free slots are given to waiting run requests of a project by one transaction at a time. */
  requestsOfProject: 7_316_012,
  /** Form: (key, hash of the schema), in the user's database, which may be Sluice's own. Tables in one schema are made one at a time. */
  destinationTables: 7_316_013,
  /** Form: (key, hash of the store). Key spaces in one store are reserved one at a time. */
  placesOfStore: 7_316_026,
} as const;
