/** Custom queries through the API: whatever is sent, the answer is a batch export or a 400 that says what is wrong. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Body = Record<string, unknown>;

describe('a custom query in the API', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  async function create(hogql_query: unknown): Promise<{ status: number; body: Body }> {
    const destination = { type: 'LocalFile', config: { directory: crypto.randomUUID() } };
    const batchExport = { name: 'Queried', destination, interval: 'hour', paused: true, hogql_query };
    const { status, body } = await exports.request('POST', '/batch_exports/', batchExport);
    return { status, body: body as Body };
  }

  it('comes back with the columns that it will deliver', async () => {
    const query = `select uuid, properties.n::int as n, toDate(timestamp) as day, toFloat(properties.f) as f from events`;
    const { status, body } = await create(query);
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body['hogql_query'], query);
    assert.deepEqual((body['schema'] as { fields: object[] }).fields, [
      { alias: 'uuid', expression: 'uuid', type: 'uuid' },
      { alias: 'n', expression: 'properties.n::int', type: 'int8' },
      { alias: 'day', expression: 'toDate(timestamp)', type: 'date' },
      { alias: 'f', expression: 'toFloat(properties.f)', type: 'float8' },
    ]);
  });

  const REFUSED: [query: unknown, detail: string][] = [
    ['select event from events, persons', 'JOINs are not supported'],
    ['select event from (select * from events)', 'Subqueries are not supported'],
    [
      'select pg_sleep(9) as x from events',
      'Invalid HogQL query: the function "pg_sleep" is not supported (line 1, column 8)',
    ],
    [
      'select event from events;\ndrop table events',
      'Invalid HogQL query: only one statement is supported, without ";" (line 1, column 25)',
    ],
    ['select event from\n  events where', 'Failed to parse query: it ends too early (line 2, column 10)'],
    ['select api_token from projects', 'Query must only SELECT FROM events or persons, not "projects"'],
    [
      'select project_id from events',
      'Batch exports cannot read these fields: project_id. Supported fields are: created_at, distinct_id, elements_chain, event, person_id, person_properties, properties, team_id, timestamp, uuid.',
    ],
  ];
  for (const [query, detail] of REFUSED) {
    it(`is refused: ${JSON.stringify(query)}`, async () => {
      assert.deepEqual(await create(query), {
        status: 400,
        body: { type: 'validation_error', code: 'invalid_input', detail, attr: 'hogql_query' },
      });
    });
  }

  it('is refused with its field when it is no text, or a megabyte', async () => {
    for (const query of [5, ['select'], {}, true, `select '${'a'.repeat(1_000_000)}' as x from events`]) {
      const { status, body } = await create(query);
      assert.equal(status, 400);
      assert.equal(body['attr'], 'hogql_query');
    }
  });

  it('never fails the server, whatever it is', async () => {
    const pieces = fc.constantFrom(
      'select ',
      'event ',
      'from ',
      'events ',
      'where ',
      "'",
      '(',
      ')',
      ';',
      '--',
      '{',
      '::',
      '*',
      '\\',
      '"',
    );
    const queries = fc
      .array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 20 })
      .map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const { status, body } = await create(query);
        assert(status === 201 || status === 400, JSON.stringify(body));
      }),
      { numRuns: 60 },
    );
  });
});
