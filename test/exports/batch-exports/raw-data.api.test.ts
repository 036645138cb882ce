/** Exports and their previews show rows of events and persons: to whom, and who may send them somewhere. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { buildPersonalKey, buildProjectSecretKey, type Tenant } from '../../support/api/identity.ts';
import { buildMember, buildRule, type Member } from '../../support/api/members.ts';

const destination = () => ({ type: 'LocalFile', config: { directory: randomUUID() } });
const wanted = (content: object = {}) => ({ name: 'Rows', interval: 'hour', destination: destination(), ...content });

/** The kinds of data in each content. */
const CONTENTS: Record<string, { content: object; kinds: string[] }> = {
  'events as they are': { content: {}, kinds: ['event', 'person'] },
  'events without their persons': { content: { exclude_columns: ['person_properties'] }, kinds: ['event'] },
  'a column of events': { content: { include_columns: ['properties'] }, kinds: ['event'] },
  'events by a property of their person': {
    content: {
      include_columns: ['event'],
      filters: [{ type: 'person', key: 'email', operator: 'exact', value: 'ada@example.com' }],
    },
    kinds: ['event', 'person'],
  },
  'a query over events': { content: { hogql_query: 'SELECT event, properties FROM events' }, kinds: ['event'] },
  'a query with a property of the person': {
    content: { hogql_query: 'SELECT event, person.properties.email AS email FROM events' },
    kinds: ['event', 'person'],
  },
  'a query for events of some persons': {
    content: { hogql_query: "SELECT event FROM events WHERE person.properties.email = 'ada@example.com'" },
    kinds: ['event', 'person'],
  },
  'a query over persons': { content: { hogql_query: 'SELECT distinct_id FROM persons' }, kinds: ['person'] },
  persons: { content: { model: 'persons' }, kinds: ['person'] },
  sessions: { content: { model: 'sessions' }, kinds: ['event'] },
};

describe('rows of exports', () => {
  let exports: ExportsApi;
  let tenant: Tenant;

  before(async () => {
    exports = await startExportsApi();
    const project = { id: exports.world.projectId };
    const row = await exports.db('projects').where(project).first<{ organization_id: string }>('organization_id');
    const organizationId = row!.organization_id;
    const member = await exports.db('organization_memberships').where({ organization_id: organizationId }).first();
    tenant = { organizationId, userId: (member as { user_id: number }).user_id, projectId: project.id, apiToken: '' };
    await exports.world.store([buildEvent({ uuid: randomUUID(), timestamp: microseconds('2015-05-17T10:01:00Z') })]);
  });
  after(() => exports.close());
  afterEach(() => exports.db('access_controls').delete());

  async function status(method: string, path: string, key: string, body: object): Promise<number> {
    const answer = await exports.request(method, path, body, { Authorization: `Bearer ${key}` });
    return answer.status;
  }
  async function memberKeptFrom(kind: string): Promise<Member> {
    const member = await buildMember(exports.db, tenant);
    await buildRule(exports.db, tenant, 'none', { resource: kind, membership_id: member.membershipId });
    return member;
  }
  const create = async (content: object): Promise<string> => {
    const { status: made, body } = await exports.request('POST', '/batch_exports/', wanted(content));
    assert.equal(made, 201, JSON.stringify(body));
    return (body as { id: string }).id;
  };

  for (const [name, { content, kinds }] of Object.entries(CONTENTS)) {
    describe(`of ${name}`, () => {
      for (const kind of ['event', 'person']) {
        it(`are ${kinds.includes(kind) ? 'closed' : 'open'} to members who are kept from ${kind}s`, async () => {
          const { key } = await memberKeptFrom(kind);
          const isClosed = kinds.includes(kind);
          const id = await create(content);
          const path = `/batch_exports/${id}/`;
          assert.equal(await status('POST', '/batch_exports/preview/', key, wanted(content)), isClosed ? 403 : 200);
          assert.equal(await status('POST', `${path}preview/`, key, {}), isClosed ? 403 : 200);
          assert.equal(await status('POST', '/batch_exports/', key, wanted(content)), isClosed ? 403 : 201);
          const elsewhere = { destination: destination() };
          assert.equal(await status('PATCH', path, key, elsewhere), isClosed ? 403 : 200);
          const put = { name: 'Elsewhere', interval: 'hour', ...elsewhere };
          assert.equal(await status('PUT', path, key, put), isClosed ? 403 : 200);
          assert.equal(await status('PATCH', path, key, { name: 'Renamed' }), 200);
        });
      }

      it('are previewed by keys with the scopes only', async () => {
        const id = await create(content);
        const scopes = kinds.map((kind) => `${kind}:read`);
        for (const build of [buildPersonalKey, buildProjectSecretKey]) {
          const may = await build(exports.db, tenant, 'batch_export:write', ...scopes);
          for (const path of ['/batch_exports/preview/', `/batch_exports/${id}/preview/`]) {
            const body = path.includes(id) ? {} : wanted(content);
            for (const scope of scopes) {
              const others = scopes.filter((one) => one !== scope);
              const key = await build(exports.db, tenant, 'batch_export:write', ...others);
              assert.equal(await status('POST', path, key, body), 403, `${path} without ${scope}`);
            }
            assert.equal(await status('POST', path, may, body), 200, path);
          }
        }
      });
    });
  }

  it('are not added to an export, nor looked at beforehand, by who may not see them', async () => {
    const { key } = await memberKeptFrom('person');
    const id = await create({ exclude_columns: ['person_properties'] });
    for (const change of [
      { exclude_columns: [] },
      { hogql_query: 'SELECT person.properties FROM events' },
      { filters: [{ type: 'hogql', key: "person.properties.email = 'ada@example.com'" }] },
    ]) {
      assert.equal(await status('PATCH', `/batch_exports/${id}/`, key, change), 403);
      assert.equal(await status('POST', `/batch_exports/${id}/preview/`, key, change), 403);
    }
    assert.equal(await status('PATCH', `/batch_exports/${id}/`, key, { include_columns: ['event'] }), 200);
  });
});
