/** Access to a catalog by OAuth 2: a server of the test gives the tokens, and lets only requests with the newest through to the catalog. */
import assert from 'node:assert/strict';
import type { InvalidInput } from '../../../../src/platform/errors.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { startBefore, type Answered } from '../../../support/servers/iceberg-catalog/before.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const CREDENTIAL = 'sluice:canary:secret';
/** Requests that a token lasts for, as if it was revoked then. */
const LASTS = 3;

type Guard = { uri: string; close(): void; asked: URLSearchParams[]; answer: Answered | undefined };

/** @param target the catalog */
async function startGuard(target: string): Promise<Guard> {
  let left = 0;
  const asked: URLSearchParams[] = [];
  const server = await startBefore(target, ({ path, headers, body }) => {
    if (path !== '/v1/oauth/tokens') {
      const isCurrent = headers.authorization === `Bearer token-${asked.length}`;
      return left-- > 0 && isCurrent ? undefined : { status: 401, body: '{}' };
    }
    const form = new URLSearchParams(body.toString());
    asked.push(form);
    const isKnown = `${form.get('client_id')}:${form.get('client_secret')}` === CREDENTIAL;
    return guard.answer ?? (isKnown ? tokenAnswer() : { status: 401, body: '{"error":"invalid_client"}' });
  });
  function tokenAnswer(): Answered {
    left = LASTS;
    const token = { access_token: `token-${asked.length}`, token_type: 'bearer', expires_in: 3600 };
    return { status: 200, body: JSON.stringify(token) };
  }
  const guard: Guard = { ...server, asked, answer: undefined };
  return guard;
}

describe('a catalog that gives tokens', () => {
  let place: IcebergPlace;
  let guard: Guard;
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
    place = await makeIcebergPlace();
    guard = await startGuard(place.server.uri);
  });
  after(() => guard?.close());
  beforeEach(() => {
    guard.asked.length = 0;
    guard.answer = undefined;
  });

  const at = (change: object = {}) => {
    const config = { ...(place.config as object), catalog_uri: guard.uri, credential: CREDENTIAL, ...change };
    return testInterval({ ...place, config });
  };

  it('is written to by a client that requests a token, and another when that is refused', async () => {
    const rows = buildRows(2);
    const { run, receipt } = await at({ scope: 'PRINCIPAL_ROLE:ALL' }).deliver([rows]);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.ok(guard.asked.length > 2);
    const [first] = guard.asked;
    assert.deepEqual(Object.fromEntries(first!), {
      grant_type: 'client_credentials',
      client_id: 'sluice',
      client_secret: 'canary:secret',
      scope: 'PRINCIPAL_ROLE:ALL',
    });
  });

  for (const [name, change, answer, code] of [
    ['a wrong secret', { credential: 'sluice:canary' }, undefined, 'credential_refused'],
    ['a server that is away', {}, { status: 503, body: '' }, 'token_server_unavailable'],
    ['a page in place of a token', {}, { status: 200, body: '<html>' }, 'token_server_invalid'],
    ['a closed port', { oauth2_server_uri: 'http://127.0.0.1:1/token' }, undefined, 'token_server_unreachable'],
    [
      'a host that may not be used',
      { oauth2_server_uri: 'http://10.0.0.1/token' },
      undefined,
      'token_server_not_allowed',
    ],
  ] as const) {
    it(`is not asked because of ${name}`, async () => {
      guard.answer = answer;
      assert.equal((await faultIn('Iceberg', at(change).deliver([buildRows(1)]))).code, code);
    });
  }

  it('takes a token or a credential, of an id and a secret, and no server that may not be used', async () => {
    for (const [change, attr] of [
      [{ token: 'one' }, 'credential'],
      [{ credential: 'no-colon' }, 'credential'],
      [{ oauth2_server_uri: 'http://10.0.0.1/token' }, 'oauth2_server_uri'],
    ] as const) {
      const config = { ...(place.config as object), credential: CREDENTIAL, ...change };
      await assert.rejects(
        place.destination.validate(config, place.environment),
        (error: InvalidInput) => error.attr === attr,
      );
    }
  });
});
