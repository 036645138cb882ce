/** What keeps events from being lost, doubled or read too early. */
import type { Tooth } from '../tooth.ts';

export const EVENT_TEETH: readonly Tooth[] = [
  {
    name: 'seal-waits',
    guards: 'no event joins an interval after its seal',
    tests: ['test/events/seal.test.ts'],
    grep: 'waits for a transaction that stored something',
  },
  {
    name: 'seal-clock',
    guards: 'a wrong clock does not become the watermark of all events',
    tests: ['test/events/seal.test.ts'],
    grep: 'is refused while the database',
    replace: ['<= $2', '<= $2 * 1000000'],
  },
  {
    name: 'snapshot-sealed',
    guards: 'no reader reads beyond what is sealed',
    tests: ['test/events/read.test.ts'],
    grep: 'refuses what is not sealed',
    replace: ['rows[0]!.sealed', 'true'],
  },
  {
    name: 'queue-wait',
    guards: 'events that would be stored after their sender gave up are not taken',
    tests: ['test/capture/group-commit.test.ts'],
    grep: 'refuses what would be stored too late',
    replace: ['expectedWaitMs(queue) > LONGEST_WAIT_MS || ', ''],
  },
  {
    name: 'group-transactions',
    guards: 'one project does not take all transactions',
    tests: ['test/capture/group-commit.test.ts'],
    grep: 'leaves room for others',
    replace: [' || !transactions.take(projectId, 1)', ''],
  },
  {
    name: 'uuid-once-in-group',
    guards: 'a uuid is stored once of one group',
    tests: ['test/events/ingest.test.ts'],
    grep: 'stores a uuid once',
    replace: ['seen.size < seen.add(uuid).size', 'true'],
  },
  {
    name: 'uuid-claimed',
    guards: 'a uuid that is stored is not stored again',
    tests: ['test/events/ingest.test.ts'],
    grep: 'stores a uuid once',
  },
  {
    name: 'claims-sorted',
    guards: 'transactions claim uuids in one order, so that none waits for another in a circle',
    tests: ['test/events/claims.test.ts'],
    replace: ['.sort()', ''],
  },
  {
    name: 'distinct-ids',
    guards: 'a person has only so many distinct ids',
    tests: ['test/events/persons/distinct-ids-limit.test.ts'],
    grep: 'by identify',
    replace: ['distinctIds <= limit.most', 'true'],
  },
  {
    name: 'merge-identified',
    guards: 'two persons who are identified are not merged by mistake',
    tests: ['test/events/persons/merges.test.ts'],
  },
  {
    name: 'part-from',
    guards: 'no row is lost at the start of a part',
    tests: ['test/events/read.test.ts'],
    grep: 'neither loses nor doubles',
    replace: ['>= ${place(from)}', '> ${place(from)}'],
  },
  {
    name: 'part-to',
    guards: 'no row is doubled at the end of a part',
    tests: ['test/events/read.test.ts'],
    grep: 'neither loses nor doubles',
    replace: ['< ${place(to)}', '<= ${place(to)}'],
  },
  {
    name: 'hashed-with-key',
    guards: 'what is hashed is not hashed with an empty key, which anybody can do',
    tests: ['test/events/read.test.ts'],
    grep: 'without a key',
  },
  {
    name: 'copy-order',
    guards: 'the rows of a part are in the same order each time, so that equal content is the same file',
    tests: ['test/events/read.test.ts'],
    grep: 'in the order of their instants',
    replace: ['order by interval_time, ${rowId} ', ''],
  },
];
