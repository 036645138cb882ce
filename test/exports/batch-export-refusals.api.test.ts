import assert from 'node:assert/strict';
import { startExportsApi, type ExportsApi } from '../support/exports-api.ts';

const wanted = (overrides: Record<string, unknown> = {}) => ({
  name: 'Nightly',
  destination: { type: 'LocalFile', config: { directory: crypto.randomUUID() } },
  interval: 'hour',
  paused: true,
  ...overrides,
});

describe('a batch export that cannot be', () => {
  let exports: ExportsApi;

  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  const refusals: [overrides: Record<string, unknown>, code: string, attr: string | null, detail: RegExp][] = [
    [{ name: undefined }, 'required', 'name', /^This field is required\.$/],
    [{ name: '' }, 'blank', 'name', /^This field may not be blank\.$/],
    [{ interval: undefined }, 'required', 'interval', /required/],
    [{ interval: null }, 'null', 'interval', /^This field may not be null\.$/],
    ...['month', 'every 0 minutes', 'every 1441 minutes', 'every 5 minute', '0 * * * *', ''].map(
      (interval): [Record<string, unknown>, string, string, RegExp] => [
        { interval },
        'invalid_choice',
        'interval',
        /^".*" is not a valid choice\.$/,
      ],
    ),
    [{ model: 'cohorts' }, 'invalid_choice', 'model', /^"cohorts" is not a valid choice\.$/],
    [{ destination: undefined }, 'required', 'destination', /required/],
    [{ destination: { config: {} } }, 'required', 'destination__type', /required/],
    [{ destination: { type: 'Nowhere', config: {} } }, 'invalid_choice', 'destination__type', /"Nowhere" is not/],
    [
      { destination: { type: 'LocalFile', config: { directory: 'a', z: 1, b: 2 } } },
      'invalid_input',
      'destination',
      /^Configuration has unknown field\/s: 'b', 'z'$/,
    ],
    [
      { destination: { type: 'LocalFile', config: null } },
      'invalid_input',
      'destination',
      /^Configuration missing required field: 'directory'$/,
    ],
    [
      { destination: { type: 'LocalFile', config: { directory: 5 } } },
      'invalid_input',
      'destination',
      /^Configuration has invalid type: got 'int', expected 'str'$/,
    ],
    [{ destination: 'LocalFile' }, 'invalid_input', 'destination__non_field_errors', /Expected a dictionary/],
    [{ start_at: 'tomorrow' }, 'invalid_input', 'start_at', /^Datetime has wrong format/],
    [{ start_at: '2015-02-30' }, 'invalid_input', 'start_at', /^Datetime has wrong format/],
    [{ paused: 'yes' }, 'invalid_input', 'paused', /^Must be a valid boolean\.$/],
    [{ filters: [{ key: 'a' }] }, 'invalid_input', 'filters', /not supported/],
    [{ hogql_query: 'select 1' }, 'invalid_input', 'hogql_query', /not supported/],
  ];
  for (const [overrides, code, attr, detail] of refusals) {
    it(`is refused: ${JSON.stringify(overrides)}`, async () => {
      const { status, body } = await exports.request('POST', '/batch_exports/', wanted(overrides));
      const { detail: said, ...rest } = body as { detail: string };
      assert.deepEqual({ status, ...rest }, { status: 400, type: 'validation_error', code, attr });
      assert.match(said, detail);
    });
  }
});
