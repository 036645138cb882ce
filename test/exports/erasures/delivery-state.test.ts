/** Decisions about deliveries that had rows of erased persons. */
import assert from 'node:assert/strict';
import type { DeliveryFacts } from '../../../src/exports/erasures/delivery-facts.ts';
import { deliveryStateOf } from '../../../src/exports/erasures/delivery-state.ts';
import { pinnedDestination } from '../../../src/exports/integrations/pinned-destination.ts';
import { unfilteredContent } from '../../../src/conditions/rows/content.ts';
import { createExportRows, type ExportRows } from '../../support/database/export-rows.ts';

const NOW = Date.parse('2026-05-17T10:00:00Z');
const interval = { start: '2026-05-01T10:00:00.000000Z' };
const UNTIL = '2026-05-18T10:00:00.000000Z';
const DATABASE = 'postgres:db.example.com:5432/warehouse/public';
const TABLE = { type: 'Postgres', place: DATABASE, keySpace: `${DATABASE}.events` };
/** Fields of an export that delivers to the table. */
const TO_TABLE = {
  destinationType: 'Postgres',
  destinationConfig: {
    host: 'db.example.com',
    port: 5432,
    database: 'warehouse',
    schema: 'public',
    table_name: 'events',
  },
  keySpace: TABLE.keySpace,
};
type Export = Parameters<typeof deliveryStateOf>[0];

describe('a delivery of erased rows', () => {
  let rows: ExportRows;
  let batchExport: Export;
  let delivered: DeliveryFacts;
  before(async () => {
    rows = await createExportRows();
    const built = await rows.buildExport({ paused: false, destinationConfig: { directory: 'here', prefix: '' } });
    batchExport = { ...built, deleted: false };
    delivered = {
      reason: null,
      keptUntil: null,
      requests: 0,
      isRequested: false,
      hasWaited: true,
      isCommitting: false,
      isStuck: false,
      isInDoubt: false,
      leftovers: null,
      isForeign: false,
      newestRun: { status: 'Completed', errorCode: null, isLater: false },
      deliveredRunId: 'run',
      place: pinnedDestination(built),
      content: unfilteredContent('events'),
      typesBefore: ['LocalFile'],
      typesPlanned: ['LocalFile'],
      isHeldHere: true,
      isHeldElsewhere: false,
      isSearchable: true,
      search: { runId: 'run', filesRead: null, rowsFound: 0, failures: 0 },
      hasSearchWaited: true,
      superseded: null,
    };
  });
  after(() => rows?.close());

  const shrank = { status: 'Failed', errorCode: 'interval_shrank', isLater: false } as const;
  const failed = { ...shrank, errorCode: 'bucket_missing' };
  const nothing = { deliveredRunId: null, typesBefore: [], isHeldHere: false };
  const cleaned = { isHeldHere: false };
  const persons = unfilteredContent('persons');
  const merged = { typesBefore: ['Postgres'], content: persons };
  const found = { runId: 'run', filesRead: null, rowsFound: 2, failures: 0 };
  const unread = { runId: 'run', filesRead: 0, rowsFound: 0, failures: 1 };

  const cases: [name: string, facts: Partial<DeliveryFacts>, changed: Partial<Export>, expected: string][] = [
    ['is due', {}, {}, 'held, due'],
    ['is requested already', { requests: 1, isRequested: true }, {}, 'held'],
    ['waits after a failure', { requests: 2, hasWaited: false }, {}, 'held'],
    ['failed too often', { requests: 5 }, {}, 'redelivery_failed'],
    ['has an open run', { newestRun: { ...shrank, status: 'Running' }, ...nothing }, {}, 'held'],
    ['is being committed', { isCommitting: true, ...cleaned }, {}, 'held'],
    ['cannot be settled', { isCommitting: true, isStuck: true }, {}, 'delivery_in_doubt'],
    [
      'was given up after its commit began',
      { ...nothing, newestRun: failed, isInDoubt: true },
      {},
      'delivery_in_doubt',
    ],
    ['waits for an operator', { isForeign: true, ...nothing, newestRun: null }, {}, 'foreign_delivery'],
    ['is delivered again', cleaned, {}, 'clean'],
    ['has leftovers beside it', { ...cleaned, leftovers: { areGivenUp: false } }, {}, 'held'],
    [
      'has leftovers that stay',
      { ...nothing, newestRun: failed, leftovers: { areGivenUp: true } },
      {},
      'leftover_files',
    ],
    [
      'has leftovers that cannot be settled',
      { ...cleaned, leftovers: { areGivenUp: false }, isStuck: true },
      {},
      'leftover_files',
    ],
    ['was delivered to another place, too', { ...cleaned, isHeldElsewhere: true }, {}, 'earlier_place'],
    ['has files in their grace', { ...cleaned, superseded: { until: UNTIL } }, {}, `superseded_files until ${UNTIL}`],
    ['has files that stay', { ...cleaned, superseded: { until: null } }, {}, 'superseded_files'],
    ['had files that are deleted', { ...cleaned, reason: 'superseded_files', keptUntil: UNTIL }, {}, 'clean'],
    [
      'had files whose deletion was given up',
      { ...cleaned, reason: 'superseded_files', keptUntil: '2026-05-10T10:00:00.000000Z' },
      {},
      'superseded_files',
    ],
    ['was appended', { ...cleaned, typesPlanned: ['HTTP'] }, {}, 'append_destination'],
    ['was appended half-way', { ...nothing, newestRun: failed, typesPlanned: ['HTTP'] }, {}, 'append_destination'],
    ['was merged, and has rows left', { ...cleaned, ...merged, search: found }, {}, 'merged_table'],
    ['was merged, and has none left', { ...cleaned, ...merged }, {}, 'clean'],
    ['is merged', merged, {}, 'held, due'],
    ['was not searched', { ...cleaned, search: null }, {}, 'held, to search'],
    [
      'was searched before it was made again',
      { ...cleaned, search: { ...found, runId: 'before' } },
      {},
      'held, to search',
    ],
    ['is searched half-way', { ...cleaned, search: { ...found, filesRead: 3 } }, {}, 'held, to search'],
    ['waits after a failed search', { ...cleaned, search: unread, hasSearchWaited: false }, {}, 'held'],
    ['cannot be searched', { ...cleaned, search: { ...unread, failures: 5 } }, {}, 'search_failed, to search'],
    ['has rows all the same', { ...cleaned, search: found }, {}, 'rows_found'],
    [
      'has rows, and files in their grace',
      { ...cleaned, search: found, superseded: { until: UNTIL } },
      {},
      'rows_found',
    ],
    ['is of persons whose ids are forgotten', { ...cleaned, search: null, isSearchable: false }, {}, 'clean'],
    ['has versions in files', { ...cleaned, content: persons }, {}, 'clean'],
    ['was only counted', { typesBefore: ['NoOp'] }, {}, 'forgotten'],
    ['was never made', { ...nothing, newestRun: null }, {}, 'forgotten'],
    ['is owed', { ...nothing, newestRun: shrank }, {}, 'held, due'],
    ['is owed by a paused export', { ...nothing, newestRun: shrank }, { paused: true }, 'export_paused'],
    ['failed by itself', { ...nothing, newestRun: failed }, {}, 'forgotten'],
    ['is of a deleted export', {}, { deleted: true }, 'export_deleted'],
    ['is of a paused export', {}, { paused: true }, 'export_paused'],
    ['is of an export that moved', {}, { destinationConfig: { directory: 'there', prefix: '' } }, 'earlier_place'],
    [
      'is of an export that delivers to another table of the same database',
      { place: { ...TABLE, keySpace: `${DATABASE}.before` }, typesBefore: ['Postgres'] },
      TO_TABLE,
      'earlier_place',
    ],
    ['is in the table of the export', { place: TABLE, typesBefore: ['Postgres'] }, TO_TABLE, 'held, due'],
    ['has no source any more', {}, { retainedFrom: '2026-05-02T00:00:00.000000Z' }, 'source_expired'],
  ];
  for (const [name, facts, changed, expected] of cases) {
    it(`that ${name}: ${expected}`, () => {
      const decided = deliveryStateOf({ ...batchExport, ...changed }, interval, { ...delivered, ...facts }, NOW);
      const until = decided?.keptUntil ? ` until ${decided.keptUntil}` : '';
      const state = decided
        ? `${decided.reason ?? decided.state}${until}${decided.isDue ? ', due' : ''}${decided.isToSearch ? ', to search' : ''}`
        : 'forgotten';
      assert.equal(state, expected);
    });
  }
});
