/** The author of each change of persons and groups. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startLookups, type Lookups } from '../../support/database/lookups.ts';

type Entry = {
  scope: string;
  item_id: string;
  activity: string;
  user_id: number;
  detail: { name: string; changes: unknown[] };
};

describe('the activity log of persons and groups', () => {
  let lookups: Lookups;
  before(async () => {
    lookups = await startLookups();
    await lookups
      .db('group_types')
      .insert({ project_id: lookups.ours.projectId, group_type: 'company', group_type_index: 0 } as never);
  });
  after(() => lookups.close());

  /** @returns what was written meanwhile */
  async function entriesOfRequest(method: string, path: string, body: unknown, status: number): Promise<Entry[]> {
    const entries = () => lookups.db<Entry>('activity_log').orderBy('created_at');
    const before = (await entries()).length;
    const answer = await lookups.request(method, path, body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return (await entries()).slice(before);
  }

  async function buildPerson(distinctId: string): Promise<string> {
    const id = randomUUID();
    await lookups.db('persons').insert({
      project_id: lookups.ours.projectId,
      id,
      properties: {},
      is_identified: true,
      created_at: new Date(),
    } as never);
    const named = {
      project_id: lookups.ours.projectId,
      distinct_id: distinctId,
      person_id: id,
      version: 0,
      interval_time: new Date(),
    };
    await lookups.db('person_distinct_ids').insert(named as never);
    return id;
  }

  it('records who deleted persons, and forgets the deleted persons', async () => {
    const id = await buildPerson('ada@example.com');
    const [entry] = await entriesOfRequest('DELETE', `/persons/${id}/`, undefined, 204);
    assert.deepEqual(
      [entry?.scope, entry?.item_id, entry?.activity, entry?.user_id],
      ['Person', id, 'deleted', lookups.ours.userId],
    );
    await buildPerson('grace@example.com');
    const many = await entriesOfRequest('POST', '/persons/bulk_delete/', { distinct_ids: ['grace@example.com'] }, 200);
    assert.deepEqual(
      many.map(({ detail }) => detail.name),
      ['1 persons'],
    );
    await buildPerson('joan@example.com');
    const erase = { distinct_ids: ['joan@example.com'], delete_events: true };
    const [erased] = await entriesOfRequest('POST', '/persons/bulk_delete/', erase, 202);
    assert.ok(erased!.detail.name.includes(erased!.item_id), 'the erasure, not the person');
    assert.match(erased!.detail.name, /^1 persons and their events \(erasure [-0-9a-f]{36}\)$/);
    assert.deepEqual(await entriesOfRequest('POST', '/persons/bulk_delete/', erase, 202), [], 'the same erasure');
    assert.ok(!JSON.stringify(await lookups.db('activity_log')).includes('@example.com'));
    assert.deepEqual(await entriesOfRequest('DELETE', `/persons/${randomUUID()}/`, undefined, 404), []);
  });

  it('records who made and described groups, and who renamed their type', async () => {
    const [made] = await entriesOfRequest(
      'POST',
      '/groups/',
      { group_type_index: 0, group_key: 'acme', group_properties: { size: 1 } },
      201,
    );
    assert.deepEqual([made?.scope, made?.item_id, made?.activity], ['Group', '0:acme', 'created']);
    const path = '/groups/update_property/?group_type_index=0&group_key=acme';
    const [grown] = await entriesOfRequest('POST', path, { key: 'size', value: 2 }, 200);
    assert.deepEqual(grown?.detail.changes, [{ type: 'Group', action: 'changed', field: 'size', before: 1, after: 2 }]);
    const unset = await entriesOfRequest('POST', path.replace('update', 'delete'), { $unset: 'size' }, 200);
    assert.deepEqual(unset[0]?.detail.changes, [
      { type: 'Group', action: 'deleted', field: 'size', before: 2, after: null },
    ]);
    const renamed = await entriesOfRequest(
      'PATCH',
      '/groups_types/update_metadata/',
      [{ group_type_index: 0, name_plural: 'firms' }],
      200,
    );
    assert.deepEqual(
      renamed.map(({ scope, item_id }) => [scope, item_id]),
      [['GroupType', '0']],
    );
    assert.deepEqual(await entriesOfRequest('POST', '/groups/', { group_type_index: 0, group_key: 'acme' }, 400), []);
  });
});
