import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startLookups, writeEvents, writePerson, type Lookups } from '../../support/database/lookups.ts';

/** History: each event was stored where it happened. */
const at = (time: string) => `2015-05-17T${time}Z`;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const byText = (a: string, b: string) => a.localeCompare(b);

describe('events over HTTP', () => {
  let lookups: Lookups;
  const list = async (query: string) => (await lookups.pages(`/events/${query}`)).flat();
  const names = async (query: string) => (await list(query)).map(({ event }) => String(event));
  const write = (events: Parameters<typeof writeEvents>[2]) => writeEvents(lookups.db, lookups.ours.projectId, events);

  beforeEach(async () => {
    lookups = await startLookups();
  });
  afterEach(() => lookups.close());

  it('are shown as they arrived, with the person that they were stored with', async () => {
    const [personId, person] = [randomUUID(), { email: 'ada@example.com' }];
    const properties = { $current_url: '/', n: 9007199254740994, ['__proto__']: { a: 1 }, text: '\u{1f40d}\u0001' };
    const timestamp = '2015-05-17T10:05:03.000001Z';
    const [uuid = ''] = await write([
      { distinct_id: 'ada', person_id: personId, properties, person_properties: person, timestamp },
    ]);
    const { created_at: createdAt, ...shown } = (await lookups.request('GET', `/events/${uuid}/`)).body as {
      created_at: string;
    };
    assert.match(createdAt, /\.\d{6}Z$/);
    assert.deepEqual(shown, {
      id: uuid,
      event: 'pageview',
      distinct_id: 'ada',
      person_id: personId,
      properties,
      person_properties: person,
      elements_chain: '',
      timestamp,
    });
    assert.deepEqual(await list(''), [{ created_at: createdAt, ...shown }]);
  });

  it('come newest first, page by page, over months and within a microsecond', async () => {
    const times = [at('10:00:00.000000'), at('10:00:00.000001'), daysAgo(40), daysAgo(1)];
    const uuids = await write([...times, ...times].map((time) => ({ interval_time: time })));
    const pages = await lookups.pages('/events/?limit=3');
    assert.deepEqual(
      pages.map(({ length }) => length),
      [3, 3, 2],
    );
    const newestFirst = uuids
      .map((uuid, index) => ({ uuid, time: times[index % 4]! }))
      .sort((a, b) => (`${a.time}${a.uuid}` < `${b.time}${b.uuid}` ? 1 : -1));
    assert.deepEqual(
      pages.flat().map(({ id }) => id),
      newestFirst.map(({ uuid }) => uuid),
    );
  });

  it('make short pages when they are large', async () => {
    const properties = { text: 'x'.repeat(6_000_000) };
    await write(Array.from({ length: 5 }, () => ({ properties })));
    const pages = await lookups.pages('/events/');
    assert.deepEqual(
      pages.map(({ length }) => length),
      [3, 2],
    );
  });

  it('are found by event, distinct id and timestamps', async () => {
    await write([
      { event: 'first', distinct_id: 'a', interval_time: at('10:00:00') },
      { event: 'second', distinct_id: 'b', interval_time: at('11:00:00') },
      { event: 'third', distinct_id: 'a', interval_time: at('12:00:00') },
      { event: 'late', distinct_id: "%' or true --", timestamp: at('11:30:00') },
    ]);
    const cases: [query: string, found: string[]][] = [
      ['?event=second', ['second']],
      ['?event=%25', []],
      ['?distinct_id=a', ['third', 'first']],
      ['?distinct_id=A', []],
      [`?distinct_id=${encodeURIComponent("%' or true --")}`, ['late']],
      ['?after=2015-05-17T10:30Z', ['late', 'third', 'second']],
      ['?after=2015-05-17T11:00Z&before=2015-05-17T12:00Z', ['late']],
      ['?before=2015-05-17T13:00%2B02:00', ['first']],
      ['?before=2015-05-17T12:00Z&event=third', []],
      ['?distinct_id=a&after=2015-05-17T10:00:00.000001Z', ['third']],
    ];
    for (const [query, found] of cases) assert.deepEqual(await names(query), found, query);
  });

  it('of a person are those of the distinct ids that it has now, and those that were stored with it', async () => {
    const { db, ours, theirs } = lookups;
    const person = await writePerson(db, ours.projectId, { distinctIds: ['known', 'merged'] });
    await writePerson(db, theirs.projectId, { id: person, distinctIds: ['other'] });
    await write([
      { event: 'before the merge', distinct_id: 'merged' },
      { event: 'after a deletion', distinct_id: 'gone', person_id: person },
      { event: 'of another', distinct_id: 'other' },
    ]);
    assert.deepEqual((await names(`?person_id=${person}`)).toSorted(byText), ['after a deletion', 'before the merge']);
  });

  it('of another project are never found', async () => {
    const { db, theirs, request } = lookups;
    const [uuid] = await writeEvents(db, theirs.projectId, [{ distinct_id: 'a' }]);
    assert.deepEqual(await names(''), []);
    assert.deepEqual(await names('?distinct_id=a'), []);
    for (const id of [uuid, randomUUID(), 'not-a-uuid', '%00']) {
      assert.equal((await request('GET', `/events/${id}/`)).status, 404);
    }
  });

  it('are given up with a way out when they take too long to find', async () => {
    await lookups.close();
    lookups = await startLookups({ statementTimeoutMs: 2_000 });
    const { db, request } = lookups;
    const holder = await db.transaction();
    await holder.raw('lock table events in access exclusive mode');
    try {
      for (const path of ['/events/?event=x', `/events/${randomUUID()}/`]) {
        const { status, body, headers } = await request('GET', path);
        assert.equal(status, 503);
        assert.match((body as { detail: string }).detail, /given up\. .*after/);
        assert.ok(headers.get('retry-after'));
      }
    } finally {
      await holder.rollback();
    }
  });

  const bad: [query: string, attr: string][] = [
    ['?limit=0', 'limit'],
    ['?limit=x', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?cursor=x', 'cursor'],
    ['?cursor=', 'cursor'],
    [`?cursor=${btoa('["olderThan","2015-05-17T10:00:00.000000Z","x"]')}`, 'cursor'],
    ['?after=yesterday', 'after'],
    ['?after=2015-02-30', 'after'],
    ['?before=infinity', 'before'],
    ['?after=', 'after'],
    ['?before=', 'before'],
    ['?person_id=1', 'person_id'],
    ['?event=%00', 'event'],
    ['?event=a&event=b', 'event'],
    [`?distinct_id=${'x'.repeat(10_240)}`, 'distinct_id'],
  ];
  const detailOf = async (query: string) =>
    ((await lookups.request('GET', `/events/${query}`)).body as { detail: string }).detail;

  it('names the forms of a date, and how a plus sign is sent', async () => {
    assert.match(await detailOf('?after=yesterday'), /: YYYY-MM-DD, YYYY-MM-DDThh:mm\S+$/);
    assert.match(await detailOf('?after=2015-05-17T13:00+02:00'), /the \+ of an offset is written as %2B\.$/);
  });

  for (const [query, attr] of bad) {
    it(`are refused for ${query.slice(0, 60)}`, async () => {
      const { status, body } = await lookups.request('GET', `/events/${query}`);
      assert.deepEqual([status, (body as { attr: string }).attr], [400, attr]);
    });
  }
});
