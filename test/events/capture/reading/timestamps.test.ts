import assert from 'node:assert/strict';
import { post, startCapture, type CaptureServer } from '../../../support/events/capture.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';
import { buildTenant, type Tenant } from '../../../support/api/identity.ts';

type Row = { event: string; timestamp: string; created_at: string };

/** After it was received. */
const seconds = (row: Row) => (Date.parse(row.timestamp) - Date.parse(row.created_at)) / 1000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
/** The time on a clock that is an hour behind. */
const sentThen = () => Date.now() - 3_600_000;
const hourWrong = () => [
  { event: 'a', distinct_id: 'd', timestamp: ago(3_605_000) },
  { event: 'b', distinct_id: 'd', timestamp: ago(3_605_000), properties: { $ignore_sent_at: true } },
  { event: 'c', distinct_id: 'd', timestamp: ago(3_605_000).replace('Z', '') },
  { event: 'd', distinct_id: 'd', timestamp: Date.now() - 3_605_000 },
];
const corrected = [-5, -3605, -5, -5];
const asItIs = [-3605, -3605, -3605, -3605];

describe('an event happened', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let tenant: Tenant;
  /** A tenant whose public key may place history. */
  let open: Tenant;

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
    tenant = await buildTenant(server.db);
    open = await buildTenant(server.db, { historicalFromProjectKey: true });
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });
  beforeEach(() => server.pool.query('truncate events, event_ids'));

  const stored = async () => (await server.pool.query<Row>('select * from events order by event')).rows;
  const sendBatch = (batch: unknown[], more: object, query = '') =>
    post(`${server.url}/batch/${query}`, { api_key: tenant.apiToken, batch, ...more });
  const sendArray = (sentAt: number | string) =>
    post(`${server.url}/e/?ip=1&token=${tenant.apiToken}&_=${sentAt}`, hourWrong());

  /** Sends raw JSON members of one event and returns the row. */
  async function sendAndReadRow(members: string): Promise<Row> {
    const event = `{"api_key":"${tenant.apiToken}","event":"e","distinct_id":"d",${members}}`;
    assert.equal((await post(`${server.url}/e/`, event)).status, 200);
    return (await stored())[0]!;
  }

  it('when it says, to the microsecond', async () => {
    const row = await sendAndReadRow('"timestamp":"2024-05-17T12:05:03.123456+02:00"');
    assert.equal(row.timestamp, '2024-05-17T10:05:03.123456Z');
  });

  for (const [sentTimestamp, expected] of [
    ['"1715940303"', '2024-05-17T10:05:03.000000Z'],
    ['"1715940303123"', '2024-05-17T10:05:03.123000Z'],
    ['1715940303', '2024-05-17T10:05:03.000000Z'],
    ['"Fri, 17 May 2024 12:05:03 +0200"', '2024-05-17T10:05:03.000000Z'],
    ['"05/17/2024"', '2024-05-17T00:00:00.000000Z'],
  ] as const) {
    it(`when its timestamp is ${sentTimestamp}, live and as history`, async () => {
      assert.equal((await sendAndReadRow(`"timestamp":${sentTimestamp}`)).timestamp, expected);
      await server.pool.query('truncate events, event_ids');
      const batch = [{ event: 'e', distinct_id: 'd', timestamp: JSON.parse(sentTimestamp) as unknown }];
      const history = { api_key: open.apiToken, batch, historical_migration: true };
      assert.deepEqual((await post(`${server.url}/batch/`, history)).body, { status: 1 });
      assert.equal((await stored())[0]!.timestamp, expected);
    });
  }

  for (const broken of [
    '"yesterday"',
    '"17/05/2024"',
    '"171594030"',
    '"Sat, 17 May 2024 12:05:03 +0200"',
    '"2024-02-30"',
    '"0000-01-01T00:00:00Z"',
    '1e300',
    '"294277-01-01T00:00:00Z"',
    '"infinity"',
    '{}',
    'null',
    '""',
  ]) {
    it(`now when it says ${broken}`, async () => {
      assert.ok(Math.abs(seconds(await sendAndReadRow(`"timestamp":${broken}`))) < 30);
    });
  }

  it('now when it says that it will happen in more than 23 hours', async () => {
    assert.ok(Math.abs(seconds(await sendAndReadRow(`"timestamp":"${ago(-24 * 3_600_000)}"`))) < 30);
  });

  it('so much before now as its offset says, whatever its timestamp', async () => {
    const row = await sendAndReadRow('"offset":90000,"timestamp":"2020-01-01"');
    assert.ok(Math.abs(seconds(row) + 90) < 30);
  });

  describe('so much before it was sent as the client’s clock says', () => {
    const cases: [string, () => Promise<{ status: number }>, number[]][] = [
      ['in sent_at', () => sendBatch(hourWrong(), { sent_at: ago(3_600_000) }), corrected],
      ['in sentAt', () => sendBatch(hourWrong(), { sentAt: ago(3_600_000) }), corrected],
      ['in the query', () => sendArray(sentThen()), corrected],
      [
        'in sent_at before the query',
        () => sendBatch(hourWrong(), { sent_at: ago(3_600_000) }, `?_=${Date.now()}`),
        corrected,
      ],
      ['not in seconds', () => sendArray(Math.round(sentThen() / 1000)), asItIs],
      ['not before 2021', () => sendArray(1_600_000_000_000), asItIs],
      ['not in what is no time', () => sendArray('now'), asItIs],
      ['not in a broken sent_at', () => sendBatch(hourWrong(), { sent_at: 'now' }), asItIs],
    ];
    for (const [words, send, expected] of cases) {
      it(words, async () => {
        assert.equal((await send()).status, 200);
        const rows = await stored();
        rows.forEach((row, index) => assert.ok(Math.abs(seconds(row) - expected[index]!) < 3, row.event));
        assert.equal(rows.length, expected.length);
      });
    }
  });
});
