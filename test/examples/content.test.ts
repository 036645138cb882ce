/** The check of the example must find what is wrong: each case breaks one thing in a delivery that is right. */
import assert from 'node:assert/strict';
import { compare, type Content, type Delivered } from '../../examples/access-log/content.ts';
import type { Run } from '../../examples/access-log/api.ts';

const HOUR = '2015-05-17T10:00:00.000000Z';
const NEXT_HOUR = '2015-05-17T11:00:00.000000Z';
const ROWS = [
  { uuid: '2068c5d4-6eda-55fc-8ba0-cb468b447ede', timestamp: HOUR },
  { uuid: '3d13cb85-be37-5c2f-b46f-6224ba0ebf5a', timestamp: '2015-05-17T10:59:59.999999Z' },
];
/** 0xba0cb468b447ede + 0x46f6224ba0ebf5a */
const DIGEST = (0xba0cb468b447eden + 0x46f6224ba0ebf5an).toString();

function buildRun(overrides: Partial<Run> = {}): Run {
  return {
    id: 'run',
    status: 'Completed',
    records_completed: 2,
    data_interval_start: HOUR,
    data_interval_end: NEXT_HOUR,
    receipt: { rows: 2, digest: DIGEST, epoch: 1 },
    ...overrides,
  };
}

function buildContent(overrides: Partial<Delivered> = {}, differences: string[] = []): Content {
  const claimed = { rows: 2, digest: DIGEST };
  const interval = { start: HOUR, end: NEXT_HOUR, epoch: 1, claimed, rows: ROWS, ...overrides };
  return { delivered: [interval], differences, fingerprint: '' };
}

const find = (content: Content, runs = [buildRun()], requests = 2) =>
  compare([{ start: HOUR, end: NEXT_HOUR, requests }], runs, content);

describe('the comparison of the access-log example', () => {
  it('finds nothing where nothing is wrong, nor in an hour without requests', () => {
    assert.deepEqual(find(buildContent()), []);
    const none = { rows: 0, digest: '0', epoch: 1 };
    const empty = buildContent({ rows: [], claimed: none });
    assert.deepEqual(find(empty, [buildRun({ records_completed: 0, receipt: none })], 0), []);
  });

  const broken: [string, Content, Run[]?][] = [
    ['a missing row', buildContent({ rows: ROWS.slice(1) })],
    ['a row twice', buildContent({ rows: [...ROWS, ROWS[0]!] })],
    ['another row', buildContent({ rows: [ROWS[0]!, { ...ROWS[1]!, uuid: ROWS[1]!.uuid.replace(/a$/, 'b') }] })],
    ['a row of the next hour', buildContent({ rows: [ROWS[0]!, { ...ROWS[1]!, timestamp: NEXT_HOUR }] })],
    ['a manifest or ledger that claims more', buildContent({ claimed: { rows: 3, digest: DIGEST } })],
    ['an interval with another end', buildContent({ end: HOUR })],
    ['nothing at the destination', { delivered: [], differences: [], fingerprint: '' }],
    ['what the reading found', buildContent({}, ['a stray file'])],
    ['no run', buildContent(), []],
    ['two runs', buildContent(), [buildRun(), buildRun()]],
    ['a run that failed', buildContent(), [buildRun({ status: 'Failed' })]],
    ['a run that counted otherwise', buildContent(), [buildRun({ records_completed: 3 })]],
    ['a run without a receipt', buildContent(), [buildRun({ receipt: null })]],
    ['a receipt of an earlier epoch', buildContent({ epoch: 2 })],
  ];
  for (const [what, content, runs] of broken) {
    it(`finds ${what}`, () => {
      assert.notDeepEqual(find(content, runs), []);
    });
  }
});
