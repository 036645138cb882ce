import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

const bodyWith = (overrides: Record<string, unknown> = {}) => ({
  name: 'Nightly',
  destination: { type: 'LocalFile', config: { directory: crypto.randomUUID() } },
  interval: 'hour',
  paused: true,
  ...overrides,
});

const STORE = {
  bucket_name: 'bucket',
  region: 'us-east-1',
  endpoint_url: 'https://8.8.8.8',
  aws_access_key_id: 'canary',
  aws_secret_access_key: 'canary',
};

describe('an invalid batch export', () => {
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
    ...['months', 'every 0 minutes', 'every 1441 minutes', 'every 5 minute', '0 * * * *', ''].map(
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
    ...(
      [
        [{ region: '' }, 'region', /^region: may not be blank$/],
        [{ region: 'us_east' }, 'region', /^Must be a region such as us-east-1: /],
        [{ bucket_name: 's3://bucket' }, 'bucket_name', /^Must be the name of a bucket: /],
        [
          { aws_access_key_id: '***' },
          'aws_access_key_id',
          /^aws_access_key_id: does not have the required form\. The/,
        ],
        [{ endpoint_url: 'https://s3.example.com/bucket' }, 'endpoint_url', /^Must be https.* without a user, a path/],
      ] as const
    ).map(([field, name, detail]): [Record<string, unknown>, string, string, RegExp] => [
      { destination: { type: 'S3Compatible', config: { ...STORE, ...field } } },
      'invalid_input',
      `destination__config__${name}`,
      detail,
    ]),
    [{ destination: 'LocalFile' }, 'invalid_input', 'destination__non_field_errors', /Expected a dictionary/],
    [{ start_at: 'tomorrow' }, 'invalid_input', 'start_at', /^Datetime has wrong format/],
    [{ start_at: '2015-02-30' }, 'invalid_input', 'start_at', /^Datetime has wrong format/],
    ...['europe/berlin', '+01:00', 'Mars/Phobos', ''].map(
      (timezone): [Record<string, unknown>, string, string, RegExp] => [
        { interval: 'day', timezone },
        'invalid_choice',
        'timezone',
        /^".*" is not a valid choice\.$/,
      ],
    ),
    [{ timezone: 5 }, 'invalid_input', 'timezone', /^Not a valid string\.$/],
    [
      { interval: 'week', offset_day: 7 },
      'max_value',
      'offset_day',
      /^Ensure this value is less than or equal to 6\.$/,
    ],
    [
      { interval: 'week', offset_day: -1 },
      'min_value',
      'offset_day',
      /^Ensure this value is greater than or equal to 0\.$/,
    ],
    [
      { interval: 'day', offset_hour: 24 },
      'max_value',
      'offset_hour',
      /^Ensure this value is less than or equal to 23\.$/,
    ],
    [{ interval: 'day', offset_hour: 1.5 }, 'invalid_input', 'offset_hour', /^A valid integer is required\.$/],
    ...['hour', 'day', 'month', 'every 5 minutes'].map(
      (interval): [Record<string, unknown>, string, string, RegExp] => [
        { interval, offset_day: 1 },
        'invalid_input',
        'offset_day',
        /^offset_day is not applicable for non-weekly intervals$/,
      ],
    ),
    ...['hour', 'every 5 minutes'].map((interval): [Record<string, unknown>, string, string, RegExp] => [
      { interval, offset_hour: 1 },
      'invalid_input',
      'offset_hour',
      /^offset_hour is not applicable for non-daily\/weekly intervals$/,
    ]),
    [{ jitter_seconds: 3601 }, 'max_value', 'jitter_seconds', /3600/],
    [{ paused: 'yes' }, 'invalid_input', 'paused', /^Must be a valid boolean\.$/],
    [{ filters: [{ key: 'a' }] }, 'invalid_input', 'filters', /Each filter must have a 'type'/],
    [{ hogql_query: 'select 1' }, 'invalid_input', 'hogql_query', /^Query must SELECT FROM events/],
  ];
  for (const [overrides, code, attr, detail] of refusals) {
    it(`is refused: ${inspect(overrides, { depth: 5, breakLength: Infinity })}`, async () => {
      const { status, body } = await exports.request('POST', '/batch_exports/', bodyWith(overrides));
      const { detail: message, ...rest } = body as { detail: string };
      assert.deepEqual({ status, ...rest }, { status: 400, type: 'validation_error', code, attr });
      assert.match(message, detail);
    });
  }
});
