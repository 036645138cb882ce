import assert from 'node:assert/strict';
import { post, startCapture, useCapture, type CaptureServer } from '../../support/events/capture.ts';

const describing = (type: unknown, key: unknown, set?: unknown, more: object = {}) => ({
  event: '$groupidentify',
  distinct_id: 'a',
  properties: { $group_type: type, $group_key: key, $group_set: set, ...more },
});

const naming = (type: string, more: object) => ({
  distinct_id: 'a',
  properties: { $groups: { [type]: 'x' } },
  ...more,
});

describe('groups of events', () => {
  const world = useCapture({ tenantEach: true });

  async function capture(...batch: object[]): Promise<void> {
    const answer = await post(`${world.server.url}/batch/`, { api_key: world.tenant.apiToken, batch });
    assert.deepEqual(answer.body, { status: 1 });
  }
  const send = ({ url }: CaptureServer, event: object) =>
    post(`${url}/e/`, { api_key: world.tenant.apiToken, ...event });

  async function select<T>(sql: string): Promise<T[]> {
    return (await world.server.pool.query<T & object>(sql, [world.tenant.projectId])).rows;
  }
  const keys = async (event: string) => {
    const rows = await select<{ properties: Record<string, unknown> }>(
      `select properties from events where project_id = $1 and event = '${event}'`,
    );
    return Object.fromEntries(Object.entries(rows[0]!.properties).filter(([name]) => name.startsWith('$group_')));
  };
  const groups = () =>
    select<{ group_type: string; group_key: string; properties: object }>(
      `select group_type, group_key, properties from groups join group_types using (project_id, group_type_index)
         where project_id = $1 order by group_type, group_key`,
    );

  it('are numbered in the order in which they are named, in this request and in later ones', async () => {
    await capture({ event: 'first', distinct_id: 'a', properties: { $groups: { company: 'acme', team: 7 } } });
    await capture({ event: 'second', distinct_id: 'a', properties: { $groups: { team: 'b', plan: 'pro' } } });
    assert.deepEqual(await keys('first'), { $group_0: 'acme', $group_1: '7' });
    assert.deepEqual(await keys('second'), { $group_1: 'b', $group_2: 'pro' });
  });

  it('are given no number by an event that is rejected', async () => {
    const batch = [
      naming('nameless', {}),
      naming('broken', { event: 'b', uuid: 'no' }),
      naming('good', { event: 'good' }),
    ];
    const { body } = await post(`${world.server.url}/batch/`, { api_key: world.tenant.apiToken, batch });
    assert.deepEqual(
      (body as { rejected: { index: number }[] }).rejected.map(({ index }) => index),
      [0, 1],
    );
    assert.deepEqual(await keys('good'), { $group_0: 'x' });
    assert.deepEqual(await select('select group_type from group_types where project_id = $1'), [
      { group_type: 'good' },
    ]);
  });

  it('are of five types at most: further ones are ignored, the event is not', async () => {
    const seven = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`type ${index}`, `key ${index}`]));
    await capture(
      { event: 'many', distinct_id: 'a', properties: { $groups: seven } },
      describing('type 6', 'x', { a: 1 }),
    );
    assert.deepEqual(Object.keys(await keys('many')), ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4']);
    assert.deepEqual(await groups(), []);
  });

  it('get the same number from many processes at once', async () => {
    const others = await Promise.all([startCapture(world.database.url), startCapture(world.database.url)]);
    await Promise.all(
      Array.from({ length: 21 }, (_, index) =>
        send([world.server, ...others][index % 3]!, {
          event: `event ${index}`,
          distinct_id: 'a',
          properties: { $groups: { [`type ${index % 7}`]: 'x' } },
        }),
      ),
    );
    await Promise.all(others.map((other) => other.stop()));
    const types = await select<{ group_type: string; group_type_index: number }>(
      'select group_type, group_type_index from group_types where project_id = $1 order by 2',
    );
    assert.deepEqual(
      types.map((type) => type.group_type_index),
      [0, 1, 2, 3, 4],
    );
    for (const { group_type: type, group_type_index: index } of types) {
      const number = Number(type.slice('type '.length));
      for (const event of [number, number + 7, number + 14]) {
        assert.deepEqual(await keys(`event ${event}`), { [`$group_${index}`]: 'x' });
      }
    }
  });

  it('keep what is known of them: later properties lie over earlier ones', async () => {
    await capture(
      describing('company', 'acme', { tier: 'gold', seats: 3 }),
      describing('company', 'acme', { seats: 4 }),
    );
    await capture(describing('company', 'acme', { city: 'Kyiv' }), describing('company', 12));
    assert.deepEqual(await groups(), [
      { group_type: 'company', group_key: '12', properties: {} },
      { group_type: 'company', group_key: 'acme', properties: { tier: 'gold', seats: 4, city: 'Kyiv' } },
    ]);
  });

  it('lose no property to another process that describes them at the same time', async () => {
    const other = await startCapture(world.database.url);
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        send(index % 2 ? world.server : other, describing('company', `c${index % 3}`, { [`p${index}`]: index })),
      ),
    );
    await other.stop();
    const found = (await groups()).flatMap(({ properties }) => Object.keys(properties));
    assert.equal(found.length, 60);
  });

  for (const [what, groupsOfEvent] of Object.entries({
    'no object': 'acme',
    'a list': ['acme'],
    'keys that are no ids': { company: null, team: {}, plan: true, city: '' },
    'an empty type': { '': 'x' },
    'a type of 401 characters': { ['x'.repeat(401)]: 'x' },
  })) {
    it(`are none when $groups is ${what}`, async () => {
      await capture({ event: 'odd', distinct_id: 'a', properties: { $groups: groupsOfEvent } });
      assert.deepEqual(await keys('odd'), {});
    });
  }

  for (const name of ["o'neill", 'back\\slash', '{"quoted"}', 'nul\0', '\ud800', '__proto__', 'constructor', '🎈']) {
    it(`may be called ${JSON.stringify(name)}`, async () => {
      const storable = name.replaceAll('\0', '\ufffd').toWellFormed();
      await capture(describing(name, name, JSON.parse(`{${JSON.stringify(name)}: 1}`)));
      const [group] = await groups();
      assert.deepEqual([group?.group_type, group?.group_key], [storable, storable]);
      assert.deepEqual(Object.entries(group!.properties), [[storable, 1]]);
    });
  }

  it('stay as they are when the event has no person profile, with a warning', async () => {
    await capture(describing('company', 'acme', { tier: 'gold' }, { $process_person_profile: false }));
    assert.deepEqual(await groups(), []);
    const warnings = await world.server.warnings(world.tenant.projectId);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['invalid_event_when_process_person_profile_is_false'],
    );
  });
});
