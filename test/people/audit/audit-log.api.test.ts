import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { auditLogRoutes } from '../../../src/people/audit/audit-log.routes.ts';
import { auditLogStore } from '../../../src/people/audit/audit-log.store.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { userStore } from '../../../src/people/accounts/users.store.ts';
import { startApi, type Api } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { answerCheck } from '../../support/api/documented.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../../support/api/identity.ts';

type Entry = { scope: string; item_id: string; user: { id: number } | null };

describe('the activity log of a project', () => {
  let database: TestDatabase;
  let db: Knex;
  let api: Api;
  let ours: Tenant;
  let key: string;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    const auditLog = auditLogStore(db);
    api = await startApi({
      routes: auditLogRoutes,
      collaborators: { auditLog, users: userStore(db) },
      gatekeeper: createGatekeeper(identityStores(db)),
    });
    ours = await buildTenant(db);
    const theirs = await buildTenant(db);
    key = await buildPersonalKey(db, ours, 'activity_log:read');
    for (const [tenant, scope, itemId, userId] of [
      [ours, 'Survey', 'a', ours.userId],
      [ours, 'Survey', 'b', null],
      [ours, 'Cohort', 'a', ours.userId],
      [theirs, 'Survey', 'a', theirs.userId],
    ] as const) {
      const project = { id: tenant.projectId, organizationId: tenant.organizationId };
      const author = { userId, keyId: null };
      await auditLog.record({ project, author, scope, itemId, activity: 'updated', name: itemId, changes: [] });
    }
  });
  after(async () => {
    await api.stop();
    await db.destroy();
    await database.drop();
  });

  const path = (query = '') => `/api/projects/${ours.projectId}/activity_log/${query}`;

  it('is for those who may read it', async () => {
    const other = await buildPersonalKey(db, ours, 'survey:write');
    assert.deepEqual(
      [(await api.request('GET', path())).status, (await api.request('GET', path(), { key: other })).status],
      [401, 403],
    );
  });

  for (const [query, expected] of [
    ['', ['Cohort a', 'Survey b', 'Survey a']],
    ['?scope=Survey', ['Survey b', 'Survey a']],
    ['?scope=Survey&item_id=a', ['Survey a']],
    ['?scope=Unheard', []],
    ['?user=1', ['Cohort a', 'Survey a']],
    ['?user=999999', []],
    ['?limit=1&offset=1', ['Survey b']],
  ] as const) {
    it(`lists ${expected.join(', ') || 'nothing'} for ${query || 'all'}`, async () => {
      const answer = await api.request('GET', path(query), { key });
      answerCheck(auditLogRoutes)('GET', path(query), answer);
      const { results } = answer.body as { results: Entry[] };
      assert.deepEqual(
        results.map((entry) => `${entry.scope} ${entry.item_id}`),
        expected,
      );
      for (const { item_id: id, user } of results) assert.equal(user?.id, id === 'b' ? undefined : ours.userId);
    });
  }

  it('wants to know of which kind an object is', async () => {
    const { status, body } = await api.request('GET', path('?item_id=a'), { key });
    assert.deepEqual([status, (body as { attr: string }).attr], [400, 'scope']);
  });
});
