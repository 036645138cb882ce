import assert from 'node:assert/strict';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Config = Record<string, unknown>;

const layoutOf = ({ body }: { body: unknown }) =>
  (body as { destination: { config: Config } }).destination.config['layout'];

describe('the files of a batch export', () => {
  let exports: ExportsApi;

  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  const create = (config: Config) =>
    exports.request('POST', '/batch_exports/', {
      name: 'files',
      destination: { type: 'LocalFile', config: { directory: crypto.randomUUID(), ...config } },
      interval: 'hour',
      paused: true,
    });

  const S3 = { bucket_name: 'files', region: 'eu-west-1', aws_access_key_id: 'id', aws_secret_access_key: 'key' };
  const PARQUET = `['zstd', 'lz4', 'snappy', 'gzip', 'brotli']`;
  const TEXT = `['gzip', 'brotli', 'zstd']`;

  const refusals: [config: Config, detail: string][] = [
    [
      { file_format: 'unknown', compression: 'gzip' },
      `File format unknown is not supported. Supported file formats are ['Parquet', 'JSONLines', 'CSV']`,
    ],
    [
      { file_format: 'Parquet', compression: 'unknown' },
      `Compression unknown is not supported for file format Parquet. Supported compressions are ${PARQUET}`,
    ],
    [
      { file_format: 'JSONLines', compression: 'snappy' },
      `Compression snappy is not supported for file format JSONLines. Supported compressions are ${TEXT}`,
    ],
    [
      { compression: 'lz4' },
      `Compression lz4 is not supported for file format JSONLines. Supported compressions are ${TEXT}`,
    ],
    [
      { file_format: 'CSV', compression: 'snappy' },
      `Compression snappy is not supported for file format CSV. Supported compressions are ${TEXT}`,
    ],
  ];
  for (const [config, detail] of refusals) {
    it(`are refused: ${JSON.stringify(config)}`, async () => {
      const expected = { type: 'validation_error', code: 'invalid_input', detail, attr: 'destination' };
      const { status, body } = await create(config);
      assert.deepEqual({ status, body }, { status: 400, body: expected });
      const s3 = await exports.request('POST', '/batch_exports/', {
        name: 'files',
        destination: { type: 'S3', config: { ...S3, prefix: crypto.randomUUID(), ...config } },
        interval: 'hour',
      });
      assert.deepEqual({ status: s3.status, body: s3.body }, { status: 400, body: expected });
    });
  }

  for (const [file_format, compressions] of Object.entries({
    Parquet: [null, 'zstd', 'lz4', 'snappy', 'gzip', 'brotli'],
    JSONLines: [null, 'gzip', 'brotli', 'zstd'],
    CSV: [null, 'gzip', 'brotli', 'zstd'],
  })) {
    it(`may be ${file_format}, however compressed`, async () => {
      for (const compression of compressions) {
        const { status, body } = await create({ file_format, compression });
        assert.equal(status, 201);
        const { config } = (body as { destination: { config: Config } }).destination;
        assert.deepEqual([config['file_format'], config['compression']], [file_format, compression]);
      }
    });
  }

  it('have their settings shown, with the defaults', async () => {
    const { body } = await create({});
    const { id, destination } = body as { id: string; destination: { config: Config } };
    const { directory: _, ...config } = destination.config;
    assert.deepEqual(config, {
      prefix: '',
      path_style: 'flat',
      layout: 'versioned',
      file_format: 'JSONLines',
      compression: null,
      max_file_size_mb: null,
      csv_formula_safe: false,
      legacy_parquet_extension: false,
    });
    const patched = await exports.request('PATCH', `/batch_exports/${id}/`, {
      destination: { type: 'LocalFile', config: { file_format: 'CSV', csv_formula_safe: true } },
    });
    assert.equal(patched.status, 200);
    const wrong = await exports.request('PATCH', `/batch_exports/${id}/`, {
      destination: { type: 'LocalFile', config: { compression: 'snappy' } },
    });
    assert.equal(wrong.status, 400);
    const unknownStyle = await create({ path_style: 'spark' });
    assert.equal(unknownStyle.status, 400);
    assert.equal((unknownStyle.body as { attr: string }).attr, 'destination__config__path_style');
  });

  it('keep stable names where the export is older than layouts, whatever else of it is changed', async () => {
    const { body } = await create({});
    const { id } = body as { id: string };
    await exports.db.raw(`update batch_exports set destination_config = destination_config - 'layout' where id = ?`, [
      id,
    ]);
    const path = `/batch_exports/${id}/`;
    assert.equal(layoutOf(await exports.request('GET', path)), 'stable');
    for (const change of [
      { name: 'renamed' },
      { destination: { type: 'LocalFile', config: { compression: 'gzip' } } },
      { destination: { type: 'LocalFile', config: { directory: crypto.randomUUID() } } },
    ]) {
      assert.equal(layoutOf(await exports.request('PATCH', path, change)), 'stable');
      assert.equal(layoutOf(await exports.request('GET', path)), 'stable');
    }
    const versioned = { destination: { type: 'LocalFile', config: { layout: 'versioned' } } };
    assert.equal(layoutOf(await exports.request('PATCH', path, versioned)), 'versioned');
  });

  for (const prefix of [
    '{foo}',
    '{__proto__}',
    '{year',
    'year}',
    '{}',
    '{{year}}',
    '../a',
    '/a',
    'a//b',
    'a\\b',
    'a\u0000',
  ]) {
    it(`do not go to ${JSON.stringify(prefix)}`, async () => {
      const { status, body } = await create({ prefix });
      assert.equal(status, 400);
      assert.equal((body as { attr: string }).attr, 'destination__config__prefix');
    });
  }

  it('may go to a folder for every part of their interval', async () => {
    const prefix = '{year}/{month}/{day}/{hour}/{minute}/{second}/{table}/{data_interval_start}/{data_interval_end}';
    assert.equal((await create({ prefix })).status, 201);
  });
});
