/** Access to a catalog by signed requests: a server of the test checks the signatures before the catalog, as AWS does for Glue and S3 Tables. */
import assert from 'node:assert/strict';
import type { InvalidInput } from '../../../../src/platform/errors.ts';
import { signingNameOf } from '../../../../src/exports/destinations/iceberg/access/sigv4.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { startBefore, type ServerBefore } from '../../../support/servers/iceberg-catalog/before.ts';
import { refusalOf, signatureOf } from '../../../support/servers/iceberg-catalog/signature.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore, OBJECT_STORE_KEYS } from '../../../support/servers/object-store.ts';

/** As S3 Tables prefixes its paths: the ARN of a bucket, with escapes. */
const PREFIX = 'arn%3Aaws%3As3tables%3Aeu-west-3%3A111122223333%3Abucket%2Flake';
const KEY = { ...OBJECT_STORE_KEYS, service: 's3tables', region: 'eu-west-3' };

describe('a catalog that wants signatures', () => {
  let place: IcebergPlace;
  let guard: ServerBefore;
  const requests: string[] = [];
  let sessionToken: string | undefined;

  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
    place = await makeIcebergPlace();
    guard = await startBefore(place.server.uri, (request) => {
      const refusal = refusalOf(request, { ...KEY, ...(sessionToken && { sessionToken }) });
      if (refusal) return { status: 403, body: JSON.stringify({ message: refusal }) };
      requests.push(`${request.method} ${request.path}`);
      if (request.path.startsWith('/v1/config'))
        return { status: 200, body: JSON.stringify({ overrides: { prefix: PREFIX }, defaults: {} }) };
      return { path: request.path.replace(`${PREFIX}/`, '') };
    });
  });
  after(() => guard?.close());
  beforeEach(() => {
    sessionToken = undefined;
    requests.length = 0;
  });

  const SIGNED = { catalog_auth: 'sigv4', signing_name: KEY.service, signing_region: KEY.region };
  const at = (change: object = {}) => {
    const config = { ...(place.config as object), catalog_uri: guard.uri, ...SIGNED, ...change };
    return testInterval({ ...place, config });
  };

  it('is written to by requests that are signed, bodies, queries and escaped paths included', async () => {
    const rows = buildRows(2);
    const { run, receipt } = await at({ warehouse: 'arn:aws:s3tables/the lake (new)*' }).deliver([rows]);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.ok(requests.some((one) => one.startsWith('POST')));
    assert.ok(requests.slice(1).every((one) => one.includes('%2F') || one.startsWith('GET /v1/config')));
  });

  it('gets the token of a temporary key, signed', async () => {
    sessionToken = 'canary+session/token==';
    const config = { ...(place.config as object), catalog_uri: guard.uri, ...SIGNED, aws_session_token: sessionToken };
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: place.environment };
    // The storage of the test takes no temporary keys.
    for (const step of place.destination.steps.slice(0, 2))
      await step.run(config, { ...context, signal: AbortSignal.timeout(10_000) });
    assert.equal(requests.length, 3);
  });

  for (const [what, change] of [
    ['a secret', { aws_secret_access_key: 'canary' }],
    ['a key', { aws_access_key_id: 'canary' }],
    ['a service', { signing_name: 'glue' }],
    ['a region', { signing_region: 'us-east-1' }],
    ['a session', { aws_session_token: 'canary' }],
    ['a way of access', { catalog_auth: 'bearer', token: 'canary' }],
  ] as const) {
    it(`refuses ${what} that is wrong`, async () => {
      const isSigned = !('token' in change);
      const { code, field } = await faultIn('Iceberg', at(change).deliver([buildRows(1)]));
      assert.deepEqual(
        [code, field],
        isSigned
          ? ['signature_refused', 'destination__config__aws_access_key_id']
          : ['catalog_denied', 'destination__config__token'],
      );
      assert.deepEqual(requests, []);
    });
  }

  it('is configured without a token, and for a service and a region by their names', async () => {
    for (const [change, attr] of [
      [{ token: 'one' }, 'token'],
      [{ credential: 'id:secret' }, 'credential'],
      [{ signing_region: 'eu-west-3.example.com/' }, 'signing_region'],
      [{ aws_session_token: 'a\nb' }, 'aws_session_token'],
    ] as const) {
      const config = { ...(place.config as object), ...SIGNED, ...change };
      await assert.rejects(
        place.destination.validate(config, place.environment),
        (error: InvalidInput) => error.attr === attr,
      );
    }
  });

  it('is at another place than one that takes tokens, so that the runs of one do not use the secrets of the other', () => {
    const places = ['sigv4', 'bearer'].map((catalog_auth) =>
      place.destination.place({ ...(place.config as object), catalog_auth }, { projectId: 1, model: 'events' }),
    );
    assert.notEqual(places[0], places[1]);
  });
});

describe('the service that requests are signed for', () => {
  for (const [uri, name] of [
    ['https://glue.eu-west-3.amazonaws.com/iceberg', 'glue'],
    ['https://s3tables.us-east-1.amazonaws.com/iceberg', 's3tables'],
    ['https://glue.cn-north-1.amazonaws.com.cn/iceberg', 'glue'],
    ['https://abc.execute-api.us-east-1.amazonaws.com/iceberg', 'execute-api'],
    ['https://glue.example.com/iceberg', 'execute-api'],
  ] as const) {
    it(`is ${name} at ${uri}`, () => assert.equal(signingNameOf(uri), name));
  }
});

/** Of the test suite that AWS publishes with its signers. */
describe('the check of signatures', () => {
  const host = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' };
  const token = '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267';
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': '13',
    'x-amz-content-sha256': '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e',
  };
  for (const [name, path, signature, more = {}, content = ''] of [
    ['get-vanilla', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['get-utf8', '/ሴ', '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
    ['get-space-unnormalized', '/example space/', '652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741'],
    [
      'get-vanilla-query-order-encoded',
      '/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1',
      '371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac',
    ],
    [
      'get-vanilla-with-session-token',
      '/',
      '07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
      { 'x-amz-security-token': token },
    ],
    [
      'post-x-www-form-urlencoded',
      '/',
      'd3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b',
      form,
      'Param1=value1',
    ],
  ] as const) {
    it(`finds the signature of AWS’s ${name}`, () => {
      const headers = { ...host, ...more };
      const request = { method: content ? 'POST' : 'GET', path, headers, body: Buffer.from(content) };
      const scope = '20150830/us-east-1/service/aws4_request';
      const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
      assert.equal(signatureOf(request, { secret, scope, signed: Object.keys(headers).sort() }), signature);
    });
  }
});
