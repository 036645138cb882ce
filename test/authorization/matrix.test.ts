/** Every route, asked by everybody: a cell for each. Made from the list that the API serves, so that no route is forgotten. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { apiRoutes } from '../../src/app/api.ts';
import { pathsOf } from '../../src/platform/http/paths.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';
import { testTemporal } from '../support/servers/temporal.ts';
import { buildWorld, CALLERS, type CallerName, type World } from './callers.ts';
import { expectedFor } from './expectations.ts';
import { MAKE } from './objects.ts';

type ApiRoute = (typeof apiRoutes)[number];

/** An id of each form that nothing has. */
const NOTHING = { uuid: '0198f3a0-0000-7000-8000-00000000dead', number: '999999999' };

describe('the authorization matrix', () => {
  let sluice: Sluice;
  let world: World;

  before(async () => {
    sluice = await startSluice({ temporal: await testTemporal() });
    world = await buildWorld(sluice.db, async ({ projectId }) => {
      const access_token = randomBytes(22).toString('base64url');
      const dashboard_id = Number(await MAKE['dashboard']!(sluice.db, projectId));
      const shared = { project_id: projectId, dashboard_id, access_token, enabled: true };
      await sluice.db('sharing_configurations').insert(shared);
      return access_token;
    });
  });
  after(() => sluice.stop());

  async function sendRequest(route: ApiRoute, caller: CallerName): Promise<{ status: number; text: string }> {
    const { method, access } = route;
    const made = 'scope' in access && access.object?.param !== 'project_id' && access.object;
    const id = made ? await MAKE[made.resource]!(sluice.db, world.ours.projectId) : '';
    const path = pathsOf(route)[0].replace(/:(\w+)/g, (_, name: string) => {
      if (name === 'project_id') return String(world.ours.projectId);
      if (name === 'organization_id') return world.ours.organizationId;
      return made && name === made.param ? id : nothing(route, name);
    });
    const answer = await fetch(sluice.url + path, {
      method: method.toUpperCase(),
      headers: {
        ...(await world.headersOf(caller)),
        ...(route.body && { 'Content-Type': 'application/json' }),
      },
      ...(route.body && { body: '{}' }),
      redirect: 'manual',
    });
    // A stream would never end.
    if (answer.ok && answer.headers.get('content-type') === 'text/event-stream') {
      await answer.body?.cancel();
      return { status: answer.status, text: '' };
    }
    return { status: answer.status, text: await answer.text() };
  }

  for (const route of apiRoutes) {
    const { method, path, access } = route;
    it(`${method.toUpperCase()} ${path} (${JSON.stringify(access)})`, async () => {
      const answers = await Promise.all(
        CALLERS.map(async (caller) => ({ caller, ...(await sendRequest(route, caller)) })),
      );
      for (const { caller, status, text } of answers) {
        const expected = expectedFor(route, caller);
        const seen = `${caller}: ${status} ${text.slice(0, 200)}`;
        if (expected === 'in') assert.ok(isIn(route, status, text), seen);
        else assert.equal(status, expected, seen);
      }
    });
  }
});

/** Reached: not stopped at the door. Some public routes have doors of their own, for keys that are no API keys. */
function isIn({ access }: ApiRoute, status: number, text: string): boolean {
  if (status === 401 || status === 403) return 'public' in access && !text.includes('permission_denied');
  return status < 500;
}

function nothing({ params }: ApiRoute, name: string): string {
  const schema = params?.properties[name] as { type?: string; format?: string } | undefined;
  return schema?.format === 'uuid' ? NOTHING.uuid : NOTHING.number;
}
