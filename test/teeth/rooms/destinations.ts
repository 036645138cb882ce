/** What keeps a delivery whole at its destination. */
import type { Tooth } from '../tooth.ts';

const LOCAL_FILE = ['test/destinations/local-file.test.ts'];
const SUPERSEDED = ['test/activities/superseded-files.test.ts'];
const POSTGRES = ['test/destinations/postgres.test.ts'];

export const DESTINATION_TEETH: readonly Tooth[] = [
  {
    name: 'store-staged-names',
    guards: 'a part staged under another name than the plan’s becomes no file of the interval',
    tests: ['test/activities/pinned-place.test.ts'],
    grep: 'takes nothing that was staged under a name',
    replace: ['upload.key === names.file(part.index)', 'true'],
  },
  {
    name: 'store-abort-others',
    guards: 'what a frozen run staged cannot become visible after a later commit began',
    tests: LOCAL_FILE,
    grep: 'frozen at any step',
  },
  {
    name: 'store-known-delivery',
    guards: 'a delivery of another database is not replaced',
    tests: LOCAL_FILE,
    grep: 'beside a delivery of a run that the database does not know',
  },
  {
    name: 'store-later-epoch',
    guards: 'a late run does not take the delivery of the one after it for its own',
    tests: LOCAL_FILE,
    grep: 'says that a later run has delivered',
  },
  {
    name: 'store-empty-leftovers',
    guards: 'files of an earlier delivery that this one does not need show no rows',
    tests: LOCAL_FILE,
    grep: 'lists a folder of stable names',
  },
  {
    name: 'store-replacing-first',
    guards: 'a manifest never says complete while its files change',
    tests: LOCAL_FILE,
    grep: 'never shows a reader half a delivery',
  },
  {
    name: 'store-manifest-condition',
    guards: 'a manifest that came between looking and writing is not replaced',
    tests: LOCAL_FILE,
    grep: 'replaces nothing that comes while it replaces',
    replace: ['{ tag: present.tag }', 'undefined'],
  },
  {
    name: 'store-file-condition',
    guards: 'a file that another database delivered between looking and writing is not replaced',
    tests: LOCAL_FILE,
    grep: 'replaces nothing that comes while it',
    replace: ['change.replaces', 'undefined'],
  },
  {
    name: 'store-sweep',
    guards: 'an upload that a worker began and did not live to record does not stay for ever',
    tests: LOCAL_FILE,
    grep: 'killed while an upload begins',
  },
  {
    name: 'store-sweep-later',
    guards: 'what a later run has just begun is not taken for something that nobody owns',
    tests: LOCAL_FILE,
    grep: 'killed while an upload begins',
    replace: [' && !contested.has(key)', ''],
  },
  {
    name: 'store-run-in-name',
    guards: 'a re-delivery under versioned names leaves the files alone that readers of the manifest before have',
    tests: LOCAL_FILE,
    grep: 'versioned names still hold all of it',
    replace: ["layout === 'versioned'", 'false'],
  },
  {
    name: 'store-delete-unnamed',
    guards: 'a file that the manifest names is not deleted',
    tests: SUPERSEDED,
    grep: 'are never deleted while the manifest names them',
    replace: ['!named.has(key) && ', ''],
  },
  {
    name: 'superseded-still-due',
    guards: 'a file that has just left its manifest once more is not deleted',
    tests: SUPERSEDED,
    grep: 'has recorded them again',
    replace: [' and ${IS_DUE}', ''],
  },
  {
    name: 'place-with-files',
    guards: 'the credentials of a place that was left are kept until what is to be deleted there is',
    tests: SUPERSEDED,
    grep: 'keep the credentials of a place',
    replace: ["and not ${hasFilesToDelete('left_place.batch_export_id', 'left_place.key_space')}", ''],
  },
  {
    name: 'local-file-sync',
    guards: 'a file’s bytes are on disk before its name shows them',
    tests: LOCAL_FILE,
    grep: 'before its name',
  },
  {
    name: 'local-file-sync-folder',
    guards: 'a file’s name is on disk before the delivery counts',
    tests: LOCAL_FILE,
    grep: 'before its name',
  },
  {
    name: 'local-file-links',
    guards: 'no link leads a write or a read out of the export folder',
    tests: LOCAL_FILE,
    grep: 'through a link',
    replace: [' | constants.O_NOFOLLOW', ''],
  },
  {
    name: 'local-file-linked-folders',
    guards: 'no linked folder leads a write or a read out of the export folder',
    tests: LOCAL_FILE,
    grep: 'through a link',
  },
  {
    name: 'local-file-dots',
    guards: 'no key leads out of the export folder',
    tests: LOCAL_FILE,
    grep: 'lead out of its root',
  },
  {
    name: 'local-file-create',
    guards: 'a first manifest does not replace one that came meanwhile',
    tests: LOCAL_FILE,
    grep: 'replaces nothing that comes while it commits',
  },
  {
    name: 'local-file-quota',
    guards: 'a project writes no more than its quota',
    tests: LOCAL_FILE,
    grep: 'where a project may take 2 MiB',
  },
  {
    name: 'postgres-known-delivery',
    guards: 'rows of another database’s delivery are not replaced',
    tests: POSTGRES,
    grep: 'beside a delivery of a run that the database does not know',
  },
  {
    name: 'postgres-later-epoch',
    guards: 'a late run does not replace the rows of the one after it',
    tests: POSTGRES,
    grep: 'says that a later run has delivered',
  },
  {
    name: 'postgres-ledger-comparison',
    guards: 'rows are replaced only if the ledger still says what was read of it',
    tests: POSTGRES,
    grep: 'between the look at the ledger and the rows',
    replace: ['`ledger.run = ${literal(replaces.run_id)}::uuid and ledger.epoch < excluded.epoch`', "'true'"],
  },
  {
    name: 'postgres-counts',
    guards: 'a table that swallows or changes rows is found out before the commit',
    tests: POSTGRES,
    grep: 'swallows rows',
    replace: ['if sluice_rows <> ${rows} or sluice_digest <> ${literal(digest)} then', 'if false then'],
  },
  {
    name: 'postgres-timeouts',
    guards: 'the settings of a role do not make a load fail for ever',
    tests: ['test/destinations/postgres-sessions.test.ts'],
    grep: 'has limits of its own',
  },
  {
    name: 'postgres-tables-lock',
    guards: 'making tables in Sluice’s own database blocks no ingest and no seal',
    tests: ['test/db/advisory-locks.test.ts'],
    grep: 'have one key for each purpose',
    replace: ['7_316_013', '7_316_002'],
  },
  {
    name: 'migrate-lock',
    guards: 'two migrators take turns',
    tests: ['test/db/embedded-postgres.test.ts'],
    grep: 'twenty migrators',
  },
];
