/** Teeth that keep rows from being deleted while something needs them. */
import type { Tooth } from '../tooth.ts';

const TESTS = ['test/retention/retention.test.ts'];

export const RETENTION_TEETH: readonly Tooth[] = [
  {
    name: 'retention-replaced-runs',
    guards: 'a run stays known as long as its destination may name it, so that its delivery can be replaced',
    tests: TESTS,
    grep: 'keeps one whose later run',
    replace: ["later.receipt ->> 'run_id' = later.id::text", 'true'],
  },
  {
    name: 'retention-undelivered-parts',
    guards: 'a run that may still commit finds what it has staged',
    tests: TESTS,
    grep: 'may still commit',
    replace: ["'undelivered data intervals': MAY_COMMIT,", ''],
  },
  {
    name: 'retention-unnamed-parts',
    guards: 'an interrupted commit of a version that named no run is recognised by the parts that it staged',
    tests: TESTS,
    grep: 'manifest names no run',
    replace: [" and named.receipt ->> 'run_id' is not null", ''],
  },
  {
    name: 'retention-ledger',
    guards:
      'deleting a run does not delete its row of the ledger, without which its interval would appear as never delivered',
    tests: TESTS,
    grep: 'is the ledger',
    replace: ['exists (', 'false and exists ('],
  },
  {
    name: 'expiry-clock',
    guards: 'a wrong clock hides no events for good',
    tests: ['test/retention/events.test.ts'],
    grep: 'clocks of the database',
  },
  {
    name: 'truncate-empty',
    guards: 'a month that has events of another project is not emptied',
    tests: ['test/retention/events.test.ts'],
    grep: 'free their space',
  },
  {
    name: 'retention-lock',
    guards: 'a run that a transaction is about to refer to is not deleted together with what refers to it',
    tests: TESTS,
    grep: 'about to refer to',
    replace: ['for update skip locked', ''],
  },
  {
    name: 'erasure-open-run',
    guards: 'a run that may have read the rows of an erased person is waited for, and its interval delivered again',
    tests: ['test/retention/erasures.test.ts'],
    grep: 'has read the rows before',
  },
  {
    name: 'erasure-search',
    guards: 'a delivery is free of the rows of an erased person only once it was read back',
    tests: ['test/retention/erasures.test.ts'],
    grep: 'reads deliveries back',
    replace: ['!isSearchable', 'true'],
  },
  {
    name: 'erasure-merged-rows',
    guards:
      'rows of an erased person that a later delivery does not replace are deleted from a table of rows with versions',
    tests: ['test/retention/erasures.test.ts'],
    grep: 'deletes the rows of a person',
  },
];
