/** The memory of requests for flags that wait for Postgres: their parsed bodies count, which take ten times their bytes. */
import assert from 'node:assert/strict';
import { postDecide, buildFlagFor } from '../../support/flags/decide.ts';
import { waitUntilServerUsesRows } from '../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { until } from '../../support/until.ts';

const REQUESTS = 40;
/** Bytes of all bodies are far from the limit; what is made of them is not. */
const EMPTY_OBJECTS = 20_000;

/** In the place of a status: the server ended the connection while the request was still being sent. */
const CUT = 0;
const isCut = (error: unknown) =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as { cause?: { code?: string } }).cause?.code ?? '');

describe('the memory of requests for flags', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  const properties = Object.fromEntries(Array.from({ length: EMPTY_OBJECTS }, (_, index) => [`k${index}`, {}]));

  before(async () => {
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db);
    await buildFlagFor(sluice.db, tenant.projectId, 'pro', { plan: 'pro' });
    await waitUntilServerUsesRows(sluice, tenant);
  });
  after(() => sluice.stop());

  async function statusOf(path: string, body: object): Promise<number> {
    const headers = { Authorization: `Bearer ${tenant.apiToken}` };
    try {
      const answer = await fetch(sluice.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      await answer.arrayBuffer();
      return answer.status;
    } catch (error) {
      // A busy machine sends so slowly that the server, which has refused the request by then, cuts the connection.
      if (!isCut(error)) throw error;
      return CUT;
    }
  }

  /** After statements that timed out requests do not wait for Postgres for a moment. */
  async function untilPersonsAreRead(): Promise<void> {
    await until('persons to be read', async () => {
      const { body } = await postDecide(`${sluice.url}/flags/?v=2`, { token: tenant.apiToken, distinct_id: 'ada' });
      return body['errorsWhileComputingFlags'] === false;
    });
  }

  async function whilePersonsAreLocked(send: () => Promise<number>): Promise<Set<number>> {
    await untilPersonsAreRead();
    const lock = await sluice.db.transaction();
    try {
      await lock.raw('lock table persons in access exclusive mode');
      return new Set(await Promise.all(Array.from({ length: REQUESTS }, send)));
    } finally {
      await lock.rollback();
    }
  }

  for (const [what, path, body] of [
    ['decide', '/flags/?v=2', { distinct_id: 'ada', person_properties: properties }],
    ['OFREP', '/ofrep/v1/evaluate/flags', { context: { targetingKey: 'ada', ...properties } }],
  ] as const) {
    const send = () => statusOf(path, { token: tenant.apiToken, ...body });
    it(`holds what is parsed: ${what} refuses those for which there is no room, and takes them again afterwards`, async () => {
      let statuses = new Set<number>();
      // A busy machine may give up some before it has read all.
      await until('no room', async () => (statuses = await whilePersonsAreLocked(send)).has(503));
      statuses.delete(CUT);
      assert.deepEqual(
        [...statuses].sort((a, b) => a - b),
        [200, 503],
      );
      await untilPersonsAreRead();
      assert.equal(await send(), 200);
    });
  }
});
