/** The tables of faults: complete, consistent with configurations, and printed as they are. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { faultsPage } from '../../../dev/faults/page.ts';
import { decryptHashKey, HASH_KEY } from '../../../src/exports/batch-exports/content.ts';
import { anyDestination } from '../../../src/exports/destinations/index.ts';
import { faultOf, isFault, faultAtField } from '../../../src/exports/faults/fault-of.ts';
import { DESTINATION_FAULTS, FAULT_CODES } from '../../../src/exports/faults/known-faults.ts';
import { faultOfType, RUN_FAULTS } from '../../../src/exports/faults/run-faults.ts';
import { configEncryption } from '../../../src/exports/integrations/config-encryption.ts';
import * as errors from '../../../src/platform/errors.ts';
import { createKeyRing } from '../../../src/platform/secrets/key-ring.ts';

const [OLD, NEW] = ['old', 'new'].map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`) as [string, string];
const TABLES = { ...DESTINATION_FAULTS, run: RUN_FAULTS };

describe('the tables of faults', () => {
  it('are printed in docs/faults.md', () => {
    const page = readFileSync(new URL('../../../docs/faults.md', import.meta.url), 'utf8');
    assert.equal(page, faultsPage(), 'run `npm run docs:faults`');
  });

  it('have at least 40 codes, each with a whole sentence', () => {
    assert.ok(FAULT_CODES.length >= 40, `${FAULT_CODES.length} codes`);
    for (const known of Object.values(TABLES)) {
      for (const [code, { sentence }] of Object.entries(known)) {
        assert.match(code, /^[a-z]+(_[a-z]+)*$/);
        assert.match(sentence, /^[A-Z\d][^]*\.$/, code);
      }
    }
  });

  it('take each answer of a driver for one code', () => {
    for (const [type, known] of Object.entries(DESTINATION_FAULTS)) {
      const rawCodes = Object.values(known).flatMap((one) => ('rawCodes' in one ? (one.rawCodes ?? []) : []));
      assert.deepEqual(
        rawCodes.filter((answer, index) => rawCodes.indexOf(answer) !== index),
        [],
        type,
      );
    }
  });

  it('name only fields that a type of the destination has', () => {
    const types = {
      LocalFile: ['LocalFile'],
      S3: ['S3', 'AwsS3', 'S3Compatible'],
      AzureBlob: ['AzureBlob'],
      GCS: ['GCS'],
      Postgres: ['Postgres'],
      Iceberg: ['Iceberg'],
      HTTP: ['HTTP'],
    };
    for (const [table, of] of Object.entries(types)) {
      const fields = new Set(of.flatMap((type) => Object.keys(anyDestination(type).config.properties)));
      const unknown = Object.entries(DESTINATION_FAULTS[table]!).filter(
        ([, { field }]) => field !== undefined && !fields.has(field),
      );
      // Files in a folder and in a bucket have their faults in common, and so their prefix.
      assert.deepEqual(unknown, []);
    }
  });

  it('know every class of errors that ends runs', () => {
    const ending = ['DeliveredElsewhere', 'DeliveriesBlocked', 'DeliveryWouldShrink', 'DestinationRejected'];
    const others = ['DestinationUnavailable', 'IntervalShrank', 'InvalidInput', 'NotFound', 'ReadBackDiffers'];
    for (const type of [...ending, ...others, 'SecretLost', 'StagedLost', 'Superseded', 'Unavailable', 'TimedOut'])
      assert.notEqual(faultOfType(type).code, 'internal_error', type);
    assert.equal(faultOfType('TypeError').code, 'internal_error');
  });
});

describe('the fault of an error', () => {
  it('is the one that it was thrown with', () => {
    const fault = { code: 'disk_full', owner: 'destination', field: null } as const;
    assert.deepEqual(faultOf(new errors.DestinationUnavailable('Full.', { fault })), fault);
  });

  it('names the key for hashes where that is the secret that is lost', () => {
    const row = { id: 'an export', projectId: 1 };
    const hashKey = configEncryption(createKeyRing(OLD)).encryptSecret(row, HASH_KEY, 'hush');
    const configs = configEncryption(createKeyRing(`${NEW},old:lost`));
    assert.throws(
      () => decryptHashKey(configs, { ...row, hashKey }),
      (error) => {
        assert.deepEqual(faultOf(error), { code: 'secret_lost', owner: 'you', field: 'hash_key' });
        return true;
      },
    );
  });

  it('names the field of input that is not valid any more', () => {
    assert.deepEqual(faultOf(new errors.InvalidInput('No.', 'interval', 'too_many_parts')), {
      code: 'too_many_parts',
      owner: 'you',
      field: 'interval',
    });
    assert.deepEqual(faultOf(new errors.InvalidInput('No.', 'filters')), {
      code: 'invalid_input',
      owner: 'you',
      field: 'filters',
    });
  });

  it('is the source’s when its database is away, and internal when nothing is known of it', () => {
    const away = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' });
    assert.equal(faultOf(away).code, 'source_unavailable');
    assert.deepEqual(faultOf(new TypeError('x is not a function')), {
      code: 'internal_error',
      owner: 'sluice',
      field: null,
    });
  });

  it('is taken from a history only when it is one', () => {
    const fault = { code: 'disk_full', owner: 'destination', field: null };
    assert.ok(isFault(fault));
    for (const other of [undefined, 'disk_full', {}, { ...fault, owner: 'me' }, { ...fault, code: 'x'.repeat(201) }])
      assert.ok(!isFault(other), JSON.stringify(other));
  });
});

const fieldIn = (destinationType: string, field: string, integration: object | null = null) => {
  const fault = { code: 'some', owner: 'you', field } as const;
  return faultAtField(fault, { destinationType, integration: integration as never }).field;
};

describe('the field of a fault', () => {
  it('is the configuration’s where it has it', () => {
    assert.equal(fieldIn('S3', 'destination__config__endpoint_url', null), 'destination__config__endpoint_url');
    assert.equal(fieldIn('AwsS3', 'destination__config__endpoint_url'), null);
    assert.equal(fieldIn('Postgres', 'hogql_query'), 'hogql_query');
  });

  it('is the integration where that brings it', () => {
    const integration = { id: 1 };
    const secret = 'destination__config__aws_secret_access_key';
    assert.equal(fieldIn('AwsS3', secret, integration), 'destination__integration');
    assert.equal(fieldIn('AwsS3', secret), secret);
    assert.equal(fieldIn('AwsS3', 'destination__config__bucket_name', integration), 'destination__config__bucket_name');
  });
});
