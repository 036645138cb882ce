/** Every query parameter of every list, with what a careless or hostile client writes into it: refused or answered, never a fault of ours. */
import assert from 'node:assert/strict';
import { apiRoutes } from '../../../src/app/api.ts';
import { pathsOf } from '../../../src/platform/http/paths.ts';
import { MAKE } from '../../authorization/objects.ts';
import { buildPersonalKey, buildSession, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { testTemporal } from '../../support/servers/temporal.ts';

type ApiRoute = (typeof apiRoutes)[number];

const VALUES = ['', 'x', '-1', '1.5', '99999999999999999999', '\0', '\u{1f600}', '[]', '{"a":', '[[1]]', 'null', '-99999y', '0002-01-01', '9998-12-31']; // prettier-ignore

const NOTHING = { uuid: '0198f3a0-0000-7000-8000-00000000dead', number: '999999999' };

describe('query parameters', () => {
  let sluice: Sluice;
  let ours: Tenant;
  let byKey: Record<string, string>;
  let bySession: Record<string, string>;

  before(async () => {
    sluice = await startSluice({ temporal: await testTemporal() });
    ours = await buildTenant(sluice.db);
    await sluice.db('organization_memberships').where({ user_id: ours.userId }).update({ role: 'owner' });
    byKey = { Authorization: `Bearer ${await buildPersonalKey(sluice.db, ours, '*')}` };
    bySession = await buildSession(sluice.db, ours);
  });
  after(() => sluice.stop());

  /** With an object that is there, so that the request comes as far as its query. */
  async function pathTo(route: ApiRoute): Promise<string> {
    const { access } = route;
    const kind = 'scope' in access && access.object;
    const id = kind ? await MAKE[kind.resource]!(sluice.db, ours.projectId) : '';
    return pathsOf(route)[0].replace(/:(\w+)/g, (_, name: string) => {
      if (name === 'project_id') return String(ours.projectId);
      if (name === 'organization_id') return ours.organizationId;
      if (kind && name === kind.param) return id;
      const schema = route.params?.properties[name] as { format?: string } | undefined;
      return schema?.format === 'uuid' ? NOTHING.uuid : NOTHING.number;
    });
  }

  for (const route of apiRoutes.filter(({ method, query }) => method === 'get' && query)) {
    const names = Object.keys(route.query!.properties);
    it(`${pathsOf(route)[0]} takes anything for ${names.join(', ')}`, async () => {
      const path = await pathTo(route);
      const headers = 'sessionOnly' in route.access ? bySession : byKey;
      const queries = names.flatMap((name) => VALUES.map((value) => new URLSearchParams([[name, value]]).toString()));
      let arrived = 0;
      const statuses = new Set<number>();
      for (const query of queries) {
        const answer = await fetch(`${sluice.url}${path}?${query}`, { headers });
        statuses.add(answer.status);
        if (answer.status === 200 || answer.status === 400) arrived += 1;
        // A stream would never end.
        if (answer.status < 500) await answer.body?.cancel();
        else assert.fail(`${query}: ${answer.status} ${await answer.text()}`);
      }
      assert.ok(arrived > 0, `requests come as far as their query: ${[...statuses].join()}`);
    });
  }
});
