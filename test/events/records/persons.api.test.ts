import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildRule } from '../../support/api/members.ts';
import {
  startLookups,
  writeEvents,
  writePerson,
  type Lookups,
  type PersonRow,
} from '../../support/database/lookups.ts';

type Shown = { id: string; name: string; distinct_ids: string[]; distinct_id_count: number };

describe('persons over HTTP', () => {
  let lookups: Lookups;
  const list = async (query: string) => (await lookups.pages(`/persons/${query}`)).flat() as unknown as Shown[];
  const ids = async (query: string) => (await list(query)).map(({ id }) => id);
  const write = (person?: Partial<PersonRow>) => writePerson(lookups.db, lookups.ours.projectId, person);
  const statusOf = async (method: string, path: string, body?: unknown) =>
    (await lookups.request(method, path, body)).status;

  const remove = async (body: unknown) => (await lookups.request('POST', '/persons/bulk_delete/', body)).body;

  beforeEach(async () => {
    lookups = await startLookups();
  });
  afterEach(() => lookups.close());

  it('are shown with what is known of them', async () => {
    const id = await write({
      distinctIds: ['b', 'a'],
      properties: { email: 'ada@example.com', name: 'Ada' },
      is_identified: true,
    });
    const shown = {
      id,
      uuid: id,
      name: 'ada@example.com',
      distinct_ids: ['a', 'b'],
      distinct_id_count: 2,
      properties: { email: 'ada@example.com', name: 'Ada' },
      is_identified: true,
      created_at: '2015-05-17T10:05:03.123456Z',
    };
    assert.deepEqual((await lookups.request('GET', `/persons/${id}/`)).body, shown);
    assert.deepEqual(await list(''), [shown]);
  });

  it('are named by a property, else by a distinct id that was not generated', async () => {
    const generated = '0190a5b8-7c2d-7a34-9f5b-0242ac130003';
    const cases: [person: Partial<PersonRow>, name: string][] = [
      [{ properties: { username: 'ada', name: 'Ada' } }, 'Ada'],
      [{ properties: { email: 7, name: '', username: 'ada' } }, 'ada'],
      [{ distinctIds: [generated, 'user-7'] }, 'user-7'],
      [{ distinctIds: [`${generated.slice(0, -1)}4`] }, `${generated.slice(0, -1)}4`],
    ];
    for (const [person, name] of cases) {
      const { body } = await lookups.request('GET', `/persons/${await write(person)}/`);
      assert.equal((body as Shown).name, name);
    }
  });

  it('return a hundred of very many distinct ids, and how many there are', async () => {
    const distinctIds = Array.from({ length: 2_500 }, (_, index) => `visitor-${String(index).padStart(4, '0')}`);
    await write({ distinctIds });
    const [shown] = await list('');
    assert.deepEqual([shown?.distinct_ids, shown?.distinct_id_count], [distinctIds.slice(0, 100), 2_500]);
  });

  it('come newest first, page by page, and in short pages when they are large', async () => {
    const written: string[] = [];
    for (let day = 10; day < 15; day++) written.unshift(await write({ created_at: `2015-05-${day}T00:00:00Z` }));
    const pages = await lookups.pages('/persons/?limit=2');
    assert.deepEqual(
      pages.map((page) => page.map(({ id }) => id)),
      [written.slice(0, 2), written.slice(2, 4), written.slice(4)],
    );
    await lookups.db('persons').update({ properties: JSON.stringify({ text: 'x'.repeat(6_000_000) }) });
    const short = await lookups.pages('/persons/');
    assert.deepEqual(
      short.map(({ length }) => length),
      [3, 2],
    );
  });

  it('are found by one distinct id, and by parts of what they are known by', async () => {
    const ada = await write({ distinctIds: ['ada', 'visitor_1'], properties: { email: 'Ada@Example.com' } });
    const bob = await write({ distinctIds: ['bob', 'visitor%2'], properties: { name: 'Bob \\ Co', email: ['x'] } });
    await writePerson(lookups.db, lookups.theirs.projectId, { distinctIds: ['ada', 'cara'] });
    const cases: [query: string, found: string[]][] = [
      ['?distinct_id=ada', [ada]],
      ['?distinct_id=ad', []],
      ['?distinct_id=cara', []],
      ['?search=ada', [ada]],
      ['?search=EXAMPLE', [ada]],
      ['?search=visitor', [ada, bob]],
      ['?search=r_1', [ada]],
      ['?search=r%252', [bob]],
      ['?search=v%25r', []],
      ['?search=%25', [bob]],
      ['?search=_', [ada]],
      ['?search=%5C', [bob]],
      ['?search=cara', []],
      [`?search=${encodeURIComponent("') or true --")}`, []],
      ['?search=bob&distinct_id=ada', []],
    ];
    for (const [query, found] of cases) assert.deepEqual((await ids(query)).sort(), found.toSorted(), query);
  });

  it('of another project are neither found nor deleted', async () => {
    const { db, theirs, request } = lookups;
    const foreign = await writePerson(db, theirs.projectId, { distinctIds: ['theirs'] });
    for (const id of [foreign, randomUUID(), 'not-a-uuid', '%00']) {
      assert.equal(await statusOf('GET', `/persons/${id}/`), 404);
      assert.equal(await statusOf('DELETE', `/persons/${id}/`), 404);
    }
    for (const body of [{ ids: [foreign] }, { distinct_ids: ['theirs'] }]) {
      assert.deepEqual((await request('POST', '/persons/bulk_delete/', body)).body, { persons_deleted: 0 });
    }
    assert.equal((await db('persons').where({ id: foreign })).length, 1);
  });

  it('are deleted, with a version that records it, and without their events', async () => {
    const { db, ours } = lookups;
    const id = await write({ distinctIds: ['a', 'b'] });
    await writeEvents(db, ours.projectId, [{ distinct_id: 'a', person_id: id }]);
    assert.equal(await statusOf('DELETE', `/persons/${id}/`), 204);
    assert.equal(await statusOf('GET', `/persons/${id}/`), 404);
    assert.equal(await statusOf('DELETE', `/persons/${id}/`), 404);
    assert.deepEqual(await ids('?distinct_id=a'), []);
    assert.equal((await lookups.pages('/events/')).flat().length, 1);
    const versions = (await db('person_versions').orderBy('distinct_id')) as Record<string, unknown>[];
    assert.deepEqual(
      versions.map(({ distinct_id, version, is_deleted }) => [distinct_id, version, is_deleted]),
      [
        ['a', '2', true],
        ['b', '2', true],
      ],
    );
  });

  it('are deleted many at once, by id or by distinct id', async () => {
    const [one, two, three] = [
      await write({ distinctIds: ['a', 'b'] }),
      await write({ distinctIds: ['c'] }),
      await write(),
    ];
    assert.deepEqual(await remove({ ids: [one, randomUUID()] }), { persons_deleted: 1 });
    assert.deepEqual(await remove({ distinct_ids: ['a', 'c', 'c', 'nobody'] }), { persons_deleted: 1 });
    assert.deepEqual(await ids(''), [three]);
    assert.equal(await statusOf('GET', `/persons/${two}/`), 404);
  });

  it('are deleted together with their events by an erasure, which is the same when it is asked for again', async () => {
    const { db, ours, theirs, request } = lookups;
    const id = await write({ distinctIds: ['a', 'b'] });
    await writePerson(db, theirs.projectId, { distinctIds: ['a'] });
    const answer = await request('DELETE', `/persons/${id}/?delete_events=true`);
    const erasure = answer.body as Record<string, unknown> & { id: string };
    assert.equal(answer.status, 202);
    assert.match(
      answer.headers.get('location')!,
      new RegExp(`/api/projects/${ours.projectId}/erasures/${erasure.id}/$`),
    );
    assert.deepEqual([erasure['state'], erasure['persons'], erasure['finished_at']], ['pending', 1, null]);
    assert.equal(await statusOf('GET', `/persons/${id}/`), 404);
    assert.deepEqual((await request('DELETE', `/persons/${id}/?delete_events=true`)).body, erasure);
    for (const body of [{ ids: [id] }, { ids: [id, randomUUID()] }, { distinct_ids: ['b', 'a'] }])
      assert.deepEqual(await remove({ ...body, delete_events: true }), erasure);
    assert.deepEqual((await request('GET', `/erasures/${erasure.id}/`)).body, erasure);
    assert.deepEqual(await lookups.pages('/erasures/'), [[erasure]]);
    assert.deepEqual(await lookups.pages(`/erasures/${erasure.id}/deliveries/?state=held`), [[]]);
    assert.equal((await db('persons').where({ project_id: theirs.projectId })).length, 1);
    await db('erasures').update({ state: 'deleting' });
    assert.deepEqual(await remove({ ids: [id], delete_events: true }), { ...erasure, state: 'deleting' });
    const later = (await remove({ distinct_ids: ['a'], delete_events: true })) as { id: string };
    assert.notEqual(later.id, erasure.id, 'events may have been stored since the first was requested');
    const again = await write({ distinctIds: ['c'] });
    const another = (await remove({ ids: [again, id], delete_events: true })) as { id: string };
    assert.notEqual(another.id, erasure.id);
    assert.equal(await statusOf('DELETE', `/persons/${id}/?delete_events=false`), 404);
  });

  it('are listed by their erasure only with exports that the caller may see', async () => {
    const { db, ours } = lookups;
    const { id } = (await remove({ distinct_ids: ['a'], delete_events: true })) as { id: string };
    const [shown, hidden] = [randomUUID(), randomUUID()];
    for (const exportId of [shown, hidden]) {
      await db.raw(
        `insert into batch_exports (id, project_id, name, model, destination_type, destination_config, key_space, "interval", paused)
         values (:exportId, :projectId, 'files', 'events', 'LocalFile', '{}', :exportId::text, 'hour', true)`,
        { exportId, projectId: ours.projectId },
      );
      await db.raw(
        `insert into erased_deliveries (erasure_id, batch_export_id, data_interval_start, data_interval_end, rows) values (?, ?, '2026-01-01', '2026-01-02', 1)`,
        [id, exportId],
      );
    }
    const listed = async () =>
      (await lookups.pages(`/erasures/${id}/deliveries/?state=held`))
        .flat()
        .map((delivery) => delivery['batch_export_id']);
    assert.deepEqual(new Set(await listed()), new Set([shown, hidden]));
    await buildRule(db, ours, 'none', { resource: 'batch_export', resource_id: hidden });
    assert.deepEqual(await listed(), [shown]);
  });

  it('are erased once somebody has dealt with what remains, of exports that they may see', async () => {
    const { db, ours, request } = lookups;
    const { id } = (await remove({ distinct_ids: ['a'], delete_events: true })) as { id: string };
    const [files, hidden] = [randomUUID(), randomUUID()];
    const remainders = [
      [files, 1, 'remainder', 'append_destination'],
      [files, 2, 'remainder', 'export_paused'],
      [files, 3, 'clean', null],
      [hidden, 1, 'not_searched', null],
    ] as const;
    for (const exportId of [files, hidden])
      await db.raw(
        `insert into batch_exports (id, project_id, name, model, destination_type, destination_config, key_space, "interval", paused)
         values (:exportId, :projectId, 'files', 'events', 'LocalFile', '{}', :exportId::text, 'hour', true)`,
        { exportId, projectId: ours.projectId },
      );
    for (const [exportId, day, state, reason] of remainders)
      await db.raw(
        `insert into erased_deliveries (erasure_id, batch_export_id, data_interval_start, data_interval_end, rows, state, reason)
         values (?, ?, ?, ?, 1, ?, ?)`,
        [id, exportId, `2026-01-0${day}`, `2026-01-0${day + 1}`, state, reason],
      );
    await db('erasures').where({ id }).update({ state: 'done_with_remainder', finished_at: db.fn.now() });
    const mark = async (body: object) => {
      const answer = await request('POST', `/erasures/${id}/mark_handled/`, body);
      const { state, deliveries, attr } = answer.body as Record<string, unknown> & {
        deliveries?: Record<string, number>;
      };
      return answer.status === 200 ? [state, deliveries!['handled'], deliveries!['clean']] : [answer.status, attr];
    };
    const second = {
      batch_export_id: files,
      data_interval_start: '2026-01-02',
      data_interval_end: '2026-01-03T00:00:00Z',
    };
    assert.deepEqual(await mark(second), [400, 'data_interval_start']);
    second.data_interval_start = '2026-01-02T00:00:00Z';
    assert.deepEqual(await mark(second), ['done_with_remainder', 1, 1]);
    assert.deepEqual(await mark(second), [400, 'batch_export_id'], 'nothing remains there');
    await buildRule(db, ours, 'none', { resource: 'batch_export', resource_id: hidden });
    assert.deepEqual(await mark({ batch_export_id: hidden }), [400, 'batch_export_id']);
    assert.deepEqual(await mark({ batch_export_id: files }), ['done_with_remainder', 2, 1]);
    await db('access_controls').delete();
    assert.deepEqual(await mark({ batch_export_id: hidden }), ['done', 3, 1]);
    assert.deepEqual(
      new Set((await lookups.pages(`/erasures/${id}/deliveries/?state=handled`)).flat().map(({ reason }) => reason)),
      new Set(['export_paused', 'append_destination', null]),
    );
    assert.equal(await statusOf('POST', `/erasures/${randomUUID()}/mark_handled/`, { batch_export_id: files }), 404);
    assert.equal(await statusOf('POST', `/erasures/${id}/mark_handled/`, {}), 400);
  });

  it('are erased by distinct ids without a person too, and never those of another project', async () => {
    const { db, theirs, request } = lookups;
    const foreign = await writePerson(db, theirs.projectId, { distinctIds: ['theirs'] });
    assert.equal(await statusOf('DELETE', `/persons/${foreign}/?delete_events=true`), 404);
    assert.equal(await statusOf('POST', '/persons/bulk_delete/', { ids: [foreign], delete_events: true }), 404);
    const erasure = (await remove({ distinct_ids: ['theirs'], delete_events: true })) as {
      id: string;
      persons: number;
    };
    assert.equal(erasure.persons, 0);
    assert.equal((await db('persons').where({ id: foreign })).length, 1);
    await db('erasures').update({ project_id: theirs.projectId });
    for (const path of [`/erasures/${erasure.id}/`, `/erasures/${erasure.id}/deliveries/`, '/erasures/x/'])
      assert.equal(await statusOf('GET', path), 404);
    await write({ distinctIds: Array.from({ length: 10_001 }, (_, number) => `many-${number}`) });
    const tooMany = await request('POST', '/persons/bulk_delete/', { distinct_ids: ['many-1'], delete_events: true });
    assert.deepEqual([tooMany.status, (tooMany.body as { attr: string }).attr], [400, 'distinct_ids']);
    await db.raw(
      `insert into erasures (id, project_id, stored_before, persons, person_ids, distinct_ids)
       select gen_random_uuid(), ?, now(), 0, '{}', '{}' from generate_series(1, 100)`,
      [lookups.ours.projectId],
    );
    assert.equal(await statusOf('POST', '/persons/bulk_delete/', { distinct_ids: ['new'], delete_events: true }), 400);
  });

  it('are given up with a way out when they take too long to find or to delete', async () => {
    await lookups.close();
    lookups = await startLookups({ statementTimeoutMs: 2_000 });
    const { db, ours, request } = lookups;
    const id = await write({ distinctIds: ['a'] });
    const holder = await db.transaction();
    await holder.raw('select pg_advisory_xact_lock_shared(7316003, ?)', [ours.projectId]);
    await holder.raw('lock table person_distinct_ids in access exclusive mode');
    try {
      const answers = [
        await request('GET', '/persons/?search=a'),
        await request('POST', '/persons/bulk_delete/', { ids: [id] }),
        await request('POST', '/persons/bulk_delete/', { distinct_ids: ['a'] }),
      ];
      for (const { status, body } of answers) {
        assert.equal(status, 503);
        assert.match((body as { detail: string }).detail, /given up/);
      }
    } finally {
      await holder.rollback();
    }
    assert.deepEqual(await ids(''), [id]);
  });

  const badQueries: [query: string, attr: string][] = [
    ['?limit=-1', 'limit'],
    ['?cursor=x', 'cursor'],
    ['?search=%00', 'search'],
    [`?search=${'x'.repeat(10_240)}`, 'search'],
    [`?distinct_id=${'x'.repeat(10_240)}`, 'distinct_id'],
  ];
  for (const [query, attr] of badQueries) {
    it(`are refused for ${query.slice(0, 60)}`, async () => {
      const { status, body } = await lookups.request('GET', `/persons/${query}`);
      assert.deepEqual([status, (body as { attr: string }).attr], [400, attr]);
    });
  }

  const badBodies: [name: string, body: unknown, attr: string | null][] = [
    ['nothing', {}, null],
    ['both', { ids: [randomUUID()], distinct_ids: ['a'] }, 'distinct_ids'],
    ['no ids', { ids: [] }, 'ids'],
    ['what is no id', { ids: ['x'] }, 'ids__0'],
    ['a text', { distinct_ids: 'a' }, 'distinct_ids'],
    ['NUL bytes', { distinct_ids: ['\0'] }, 'distinct_ids__0'],
    ['a thousand and one', { distinct_ids: Array.from({ length: 1001 }, String) }, 'distinct_ids'],
  ];
  for (const [name, body, attr] of badBodies) {
    it(`are not deleted by ${name}`, async () => {
      await write({ distinctIds: ['a'] });
      const answer = await lookups.request('POST', '/persons/bulk_delete/', body);
      assert.deepEqual([answer.status, (answer.body as { attr: string | null }).attr], [400, attr]);
      assert.equal((await ids('')).length, 1);
    });
  }
});
