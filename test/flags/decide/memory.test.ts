/** The memory of requests for flags that wait for Postgres: their parsed bodies count, which take ten times their bytes. */
import assert from 'node:assert/strict';
import { buildFlagFor } from '../../support/decide.ts';
import { untilLive } from '../../support/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/identity.ts';
import { startSluice, type Sluice } from '../../support/sluice.ts';

const REQUESTS = 40;
/** Bytes of all bodies are far from the limit; what is made of them is not. */
const EMPTY_OBJECTS = 20_000;

describe('the memory of requests for flags', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  const properties = Object.fromEntries(Array.from({ length: EMPTY_OBJECTS }, (_, index) => [`k${index}`, {}]));

  before(async () => {
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db);
    await buildFlagFor(sluice.db, tenant.projectId, 'pro', { plan: 'pro' });
    await untilLive(sluice, tenant);
  });
  after(() => sluice.stop());

  async function statusOf(path: string, body: object): Promise<number> {
    const headers = { Authorization: `Bearer ${tenant.apiToken}` };
    const answer = await fetch(sluice.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    return answer.status;
  }

  async function whilePersonsAreLocked(ask: () => Promise<number>): Promise<Set<number>> {
    const lock = await sluice.db.transaction();
    try {
      await lock.raw('lock table persons in access exclusive mode');
      return new Set(await Promise.all(Array.from({ length: REQUESTS }, ask)));
    } finally {
      await lock.rollback();
    }
  }

  for (const [what, path, body] of [
    ['decide', '/flags/?v=2', { distinct_id: 'ada', person_properties: properties }],
    ['OFREP', '/ofrep/v1/evaluate/flags', { context: { targetingKey: 'ada', ...properties } }],
  ] as const) {
    it(`holds what is parsed: ${what} refuses those for which there is no room, and takes them again afterwards`, async () => {
      const ask = () => statusOf(path, { token: tenant.apiToken, ...body });
      const statuses = await whilePersonsAreLocked(ask);
      assert.deepEqual([...statuses].sort(), [200, 503]);
      assert.equal(await ask(), 200);
    });
  }
});
