import assert from 'node:assert/strict';
import { generateKey } from '../../../src/people/keys/keys.ts';
import { SCOPES } from '../../../src/people/access/scopes.ts';
import { buildPersonalKey, buildProjectSecretKey } from '../../support/api/identity.ts';
import { recordRoutes } from '../../../src/events/records/room.ts';
import { startLookups, writeEvents, writePerson, type Lookups } from '../../support/database/lookups.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
/** Valid wherever a body is needed, and nobody's id. */
const bodyFor = (path: string) => (path.endsWith('/mark_handled/') ? { batch_export_id: NOBODY } : { ids: [NOBODY] });
const QUERY = '?group_type_index=0&group_key=acme';

describe('events, persons and groups are open', () => {
  let lookups: Lookups;
  let ids: { event: string; person: string };

  before(async () => {
    lookups = await startLookups();
    const { db, ours } = lookups;
    const [event = ''] = await writeEvents(db, ours.projectId, [{}]);
    ids = { event, person: await writePerson(db, ours.projectId) };
  });
  after(() => lookups.close());

  it('by routes that are all in this matrix', () => assert.equal(recordRoutes.length, 17));

  for (const { method, path, access } of recordRoutes) {
    const scope = 'scope' in access ? access.scope : '';
    const call = (key: string | undefined, projectId = lookups.ours.projectId) => {
      const own = path.replace(':id', path.startsWith('/events') ? ids.event : ids.person);
      return lookups.api.request(method.toUpperCase(), `/api/environments/${projectId}${own}${QUERY}`, {
        ...(key !== undefined && { key }),
        ...(method === 'post' && { body: bodyFor(path) }),
      });
    };

    it(`${method.toUpperCase()} ${path}: to keys with ${scope} that open the project`, async () => {
      const { db, ours, theirs } = lookups;
      for (const key of [undefined, generateKey('phx'), ours.apiToken]) assert.equal((await call(key)).status, 401);
      for (const key of [await buildPersonalKey(db, theirs, '*'), await buildProjectSecretKey(db, theirs, '*')]) {
        assert.equal((await call(key)).status, 403);
        if (path.includes(':id')) assert.equal((await call(key, theirs.projectId)).status, 404);
      }
      const others = SCOPES.filter((other) => other !== scope && other !== scope.replace(':read', ':write'));
      const refused = await call(await buildPersonalKey(db, ours, ...others));
      assert.equal(refused.status, 403);
      assert.match((refused.body as { detail: string }).detail, new RegExp(scope));
      assert.notEqual((await call(await buildPersonalKey(db, ours, scope))).status, 403);
    });
  }
});
