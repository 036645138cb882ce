/** The destinations that an installation offers: their schemas are those that validate, with all that a form shows. */
import assert from 'node:assert/strict';
import { FIELD_GROUPS } from '../../../src/exports/destinations/define.ts';
import { DESTINATION_TYPES } from '../../../src/exports/destinations/index.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Field = {
  title?: string;
  description?: string;
  'x-group'?: string;
  writeOnly?: boolean;
  format?: string;
  default?: unknown;
  enum?: string[];
  examples?: unknown[];
};
type Destination = {
  type: string;
  title: string;
  writes: 'files' | 'rows';
  delivery: string;
  promises: { when: Record<string, string>; first: string; redelivery: string; readers: string }[];
  config: { properties: Record<string, Field>; required: string[]; additionalProperties: boolean };
  replaced_secrets: string[];
  compressions: Record<string, string[]> | null;
  integration: { kind: string; fields: string[] } | null;
  steps: { name: string }[];
};

type Model = { model: string; columns: { name: string; tables_only: boolean }[]; filter_types: string[] };

/** Secrets of the types that have some; a new type adds its own. */
const S3_SECRETS = ['aws_access_key_id', 'aws_secret_access_key'];
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  S3: S3_SECRETS,
  AwsS3: S3_SECRETS,
  S3Compatible: S3_SECRETS,
  AzureBlob: ['connection_string'],
  GCS: ['service_account_key'],
  Postgres: ['user', 'password'],
  Iceberg: ['token', 'credential', ...S3_SECRETS, 'aws_session_token', 'service_account_key', 'connection_string'],
  HTTP: ['token', 'signing_secret'],
};

describe('the list of destinations', () => {
  let exports: ExportsApi;
  let all: Destination[];
  let models: Model[];
  let externalId: string;
  before(async () => {
    exports = await startExportsApi();
    const { status, body } = await exports.request('GET', '/batch_exports/destinations/');
    assert.equal(status, 200);
    const answered = body as { results: Destination[]; models: Model[]; aws_external_id: string };
    ({ results: all, models, aws_external_id: externalId } = answered);
  });
  after(() => exports.close());

  it('has the external ID that roles of the project must ask for', () => {
    assert.match(externalId, /^sluice-[0-9a-f-]{36}$/);
  });

  it('has every type that an export may have here', () => {
    assert.deepEqual(
      all.map(({ type }) => type),
      DESTINATION_TYPES,
    );
  });

  for (const type of DESTINATION_TYPES) {
    const one = () => all.find((candidate) => candidate.type === type)!;

    it(`names, describes and groups every field of ${type}`, () => {
      for (const [name, field] of Object.entries(one().config.properties)) {
        assert.ok(field.title, `${name} has no title`);
        assert.ok((FIELD_GROUPS as readonly (string | undefined)[]).includes(field['x-group']), `${name} has no group`);
      }
    });

    it(`marks the secrets of ${type}, none of which has a default or an example`, () => {
      const secrets = Object.entries(one().config.properties).filter(([, { writeOnly }]) => writeOnly);
      assert.deepEqual(
        secrets.map(([name]) => name),
        SECRETS[type] ?? [],
      );
      for (const [, field] of secrets) assert.deepEqual([field.default, field.examples], [undefined, undefined]);
    });

    it(`sums up the promises of ${type}, which cover every configuration`, () => {
      const { delivery, promises, config } = one();
      assert.deepEqual(promises.at(-1)?.when, {}, 'the last promises hold for all other configurations');
      for (const { when } of promises)
        for (const [field, value] of Object.entries(when))
          assert.ok(config.properties[field]?.enum?.includes(value), `${field} has no ${value}`);
      const repeats = promises.some(({ first, redelivery }) =>
        [first, redelivery].some((word) => /^(at_least|repeats)/.test(word)),
      );
      assert.equal(delivery, repeats ? 'at_least_once' : 'effectively_once');
    });

    it(`has the test steps of ${type} that its test takes`, async () => {
      const { body } = await exports.request('GET', `/batch_exports/test/?destination=${type}`);
      assert.deepEqual(
        one().steps.map(({ name }) => name),
        (body as { steps: { name: string }[] }).steps.map(({ name }) => name),
      );
    });
  }

  it('distinguishes secrets that a form hides from those that people read while they type', () => {
    const secrets = all.flatMap(({ config }) => Object.entries(config.properties).filter(([, one]) => one.writeOnly));
    const readable = secrets.filter(([, { format }]) => format !== 'password').map(([name]) => name);
    assert.deepEqual([...new Set(readable)].sort(), ['aws_access_key_id', 'user']);
  });

  it('is enough to make an export: what is required, and examples where there are any', async () => {
    const secrets = { aws_access_key_id: 'AKIA', aws_secret_access_key: 'hush' };
    const { config } = all.find(({ type }) => type === 'AwsS3')!;
    const filled = Object.entries(config.properties).flatMap(([name, { examples }]) =>
      examples ? [[name, examples[0]]] : [],
    );
    const wanted = {
      name: 'By the schema',
      interval: 'hour',
      paused: true,
      destination: { type: 'AwsS3', config: { ...Object.fromEntries(filled), ...secrets } },
    };
    const { status, body } = await exports.request('POST', '/batch_exports/', wanted);
    assert.equal(status, 201, JSON.stringify(body));
  });

  it('says which promises an export has, by its configuration', async () => {
    for (const [layout, readers] of [
      ['versioned', 'never_half'],
      ['stable', 'half_while_replaced'],
    ]) {
      const config = { directory: `promises-${layout}`, layout };
      const wanted = { name: 'Promises', interval: 'hour', paused: true, destination: { type: 'LocalFile', config } };
      const { body } = await exports.request('POST', '/batch_exports/', wanted);
      const { promises } = body as { promises: object };
      assert.deepEqual(promises, { first: 'exactly_once', redelivery: 'replaces', readers });
    }
  });

  it('says which compressions a format takes, and what an integration brings', () => {
    const s3 = all.find(({ type }) => type === 'S3Compatible')!;
    assert.deepEqual(s3.compressions?.['CSV'], ['gzip', 'brotli', 'zstd']);
    assert.deepEqual([s3.integration?.kind, s3.replaced_secrets], ['s3-compatible', ['endpoint_url']]);
    const postgres = all.find(({ type }) => type === 'Postgres')!;
    assert.deepEqual([postgres.writes, postgres.compressions], ['rows', null]);
  });

  it('says which columns and types of filter a model takes: all of them, and no others', async () => {
    assert.deepEqual(
      models.map(({ model }) => model),
      ['events', 'persons', 'sessions'],
    );
    for (const { model, columns, filter_types } of models) {
      const one = (content: object) =>
        exports.request('POST', '/batch_exports/preview/', {
          name: 'One',
          model,
          interval: 'hour',
          destination: { type: 'LocalFile', config: { directory: model } },
          ...content,
        });
      const names = columns.map(({ name }) => name);
      const whole = await one({ include_columns: names });
      assert.equal(whole.status, 200, JSON.stringify(whole.body));
      const usual = await one({});
      assert.deepEqual(
        (usual.body as { columns: { name: string }[] }).columns.map(({ name }) => name),
        columns.filter(({ tables_only }) => !tables_only).map(({ name }) => name),
      );
      for (const type of ['event', 'person', 'hogql']) {
        const key = type === 'hogql' ? 'true' : 'plan';
        const { status } = await one({ filters: [{ key, type, operator: 'is_set' }] });
        assert.equal(status === 200, filter_types.includes(type), `${model} ${type}`);
      }
    }
  });
});
