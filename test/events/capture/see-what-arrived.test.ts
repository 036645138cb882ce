/** From the request of an SDK to the answers of the API, through a started server. */
import assert from 'node:assert/strict';
import type { ApiAnswer } from '../../support/api/api.ts';
import { post } from '../../support/events/capture.ts';
import { answerCheck } from '../../support/api/documented.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { recordRoutes } from '../../../src/events/records/room.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

type Person = {
  id: string;
  name: string;
  distinct_ids: string[];
  properties: Record<string, unknown>;
  is_identified: boolean;
};
type Event = {
  id: string;
  event: string;
  distinct_id: string;
  person_id: string;
  properties: Record<string, unknown>;
  person_properties: Record<string, unknown>;
};
type Group = { group_key: string; group_properties: object };

const checkAnswer = answerCheck(recordRoutes);

/** As SDKs say what is known of a company. */
const groupEvent = (set: object) => ({
  event: '$groupidentify',
  distinct_id: 'ada',
  properties: { $group_type: 'company', $group_key: 'acme', $group_set: set },
});

describe('captured events can be seen', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  let key: string;

  before(async () => {
    sluice = await startSluice();
  });
  after(() => sluice.stop());
  beforeEach(async () => {
    tenant = await buildTenant(sluice.db);
    key = await buildPersonalKey(sluice.db, tenant, '*');
  });

  async function capture(...batch: object[]): Promise<void> {
    const { status } = await post(`${sluice.url}/batch/`, { api_key: tenant.apiToken, batch });
    assert.equal(status, 200);
  }

  async function sendRequest(method: string, path: string): Promise<ApiAnswer> {
    const address = `/api/projects/${tenant.projectId}${path}`;
    const answer = await fetch(sluice.url + address, { method, headers: { Authorization: `Bearer ${key}` } });
    const text = await answer.text();
    const body: unknown = text === '' ? '' : JSON.parse(text);
    checkAnswer(method, address, { status: answer.status, headers: answer.headers, body });
    return { status: answer.status, headers: answer.headers, body };
  }

  async function list<T>(path: string): Promise<T[]> {
    const { status, body } = await sendRequest('GET', path);
    assert.equal(status, 200);
    return (body as { results: T[] }).results;
  }
  const personOf = async (distinctId: string) => (await list<Person>(`/persons/?distinct_id=${distinctId}`))[0];

  it('event by event, at once, with the person as each event left it', async () => {
    const uuid = '0190a5b8-7c2d-7a34-9f5b-0242ac130003';
    await capture(
      {
        event: 'signed up',
        distinct_id: 'ada',
        uuid,
        properties: { plan: 'free', $set: { email: 'ada@example.com' } },
      },
      { event: 'upgraded', distinct_id: 'ada', properties: { $set: { plan: 'paid' }, $set_once: { email: 'x' } } },
      { event: 'looked', distinct_id: 'bob' },
    );
    const seen = await list<Event>('/events/?distinct_id=ada');
    assert.deepEqual(
      new Map(seen.map((one) => [one.event, one.person_properties])),
      new Map([
        ['signed up', { email: 'ada@example.com' }],
        ['upgraded', { email: 'ada@example.com', plan: 'paid' }],
      ]),
    );
    const { body } = await sendRequest('GET', `/events/${uuid}/`);
    assert.equal((body as Event).properties['plan'], 'free');

    const person = await personOf('ada');
    assert.deepEqual(
      [person?.name, person?.properties],
      ['ada@example.com', { email: 'ada@example.com', plan: 'paid' }],
    );
    assert.equal((body as Event).person_id, person?.id);
    assert.equal((await list<Event>(`/events/?person_id=${person?.id}`)).length, 2);
  });

  it('as one person, once a visitor has identified themselves', async () => {
    await capture({ event: 'looked', distinct_id: 'visitor', properties: { $set_once: { first_seen: 'today' } } });
    await capture({ event: 'bought', distinct_id: 'ada', properties: { $set: { plan: 'paid' } } });
    const before = await personOf('visitor');
    await capture({ event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'visitor' } });

    const [person, ...others] = await list<Person>('/persons/');
    assert.deepEqual(others, []);
    assert.deepEqual(person?.distinct_ids, ['ada', 'visitor']);
    assert.deepEqual(person?.properties, { first_seen: 'today', plan: 'paid' });
    assert.equal(person?.is_identified, true);
    assert.deepEqual(await personOf('visitor'), person);
    assert.notEqual(before?.id, person?.id);
    const events = await list<Event>(`/events/?person_id=${person?.id}`);
    assert.deepEqual(new Set(events.map(({ event }) => event)), new Set(['looked', 'bought', '$identify']));
  });

  it('group by group', async () => {
    await capture(groupEvent({ name: 'Acme', seats: 1 }));
    await capture(groupEvent({ seats: 2 }));
    const { body } = await sendRequest('GET', '/groups_types/');
    const unnamed = { name_singular: null, name_plural: null };
    assert.deepEqual(body, [{ group_type: 'company', group_type_index: 0, ...unnamed }]);
    const [group] = await list<Group>('/groups/?group_type_index=0&search=ac');
    assert.deepEqual([group?.group_key, group?.group_properties], ['acme', { name: 'Acme', seats: 2 }]);
    const found = await sendRequest('GET', '/groups/find/?group_type_index=0&group_key=acme');
    assert.deepEqual(found.body, group);
  });

  it('until a person is deleted; its next event makes a new one', async () => {
    await capture({ event: 'looked', distinct_id: 'ada', properties: { $set: { plan: 'paid' } } });
    const deleted = await personOf('ada');
    assert.equal((await sendRequest('DELETE', `/persons/${deleted?.id}/`)).status, 204);
    assert.equal(await personOf('ada'), undefined);
    assert.equal((await list<Event>('/events/?distinct_id=ada')).length, 1);

    await capture({ event: 'back', distinct_id: 'ada', properties: { $set: { color: 'blue' } } });
    const reborn = await personOf('ada');
    assert.deepEqual(reborn?.properties, { color: 'blue' });
    const { rows } = await sluice.pool.query<{ version: string; is_deleted: boolean }>(
      'select version, is_deleted from person_versions where project_id = $1 order by version',
      [tenant.projectId],
    );
    assert.deepEqual(
      rows.map((row) => [row.version, row.is_deleted]),
      [
        ['1', false],
        ['2', true],
        ['3', false],
      ],
    );
  });
});
