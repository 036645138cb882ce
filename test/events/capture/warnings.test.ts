import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { post, useCapture } from '../../support/events/capture.ts';
import type { WarningSummary } from '../../../src/events/warnings/warnings.store.ts';
import { buildTenant } from '../../support/api/identity.ts';

describe('an event that capture drops', () => {
  const world = useCapture();

  it('is counted for its project, with examples by name', async () => {
    const [ours, theirs] = [await buildTenant(world.server.db), await buildTenant(world.server.db)];
    const uuid = randomUUID();
    const batch = [
      { event: 'fine', distinct_id: 'd' },
      { event: '', distinct_id: 'nameless\0', uuid: uuid.toUpperCase() },
      { event: 'e', distinct_id: 'd', uuid: 'broken' },
      { event: ' ', distinct_id: { a: 1 } },
      { event: 5, distinct_id: 'd' },
      { event: 'e', distinct_id: 'd', properties: [], uuid },
    ];
    assert.equal((await post(`${world.server.url}/batch/`, { api_key: ours.apiToken, batch })).status, 200);
    const warnings = await world.server.warnings(ours.projectId);
    const counts = warnings.map(({ code, count }) => `${code} ${count}`).sort();
    assert.deepEqual(counts, ['invalid_input 1', 'invalid_uuid 1', 'missing_event_name 3']);
    const detailsOf = (of: string) => warnings.find(({ code }) => code === of)!.examples.map(({ detail }) => detail);
    assert.deepEqual(detailsOf('invalid_input'), ['The properties of an event must be an object.']);
    assert.deepEqual(detailsOf('invalid_uuid'), ['The uuid of an event must be a UUID.']);
    const nameless = warnings.find(({ code }) => code === 'missing_event_name')!;
    const [ofNumber, { seen_at: _, ...last }, { seen_at: seenAt, ...first }] = nameless.examples as [
      Example,
      Example,
      Example,
    ];
    assert.equal(ofNumber.detail, 'The name of an event must be text.');
    assert.deepEqual(last, { detail: 'An event needs a name that is not empty.' });
    assert.deepEqual(first, { detail: last.detail, distinct_id: 'nameless\ufffd', event_uuid: uuid });
    assert.ok(Math.abs(Date.parse(seenAt) - Date.now()) < 60_000);
    assert.deepEqual(await world.server.warnings(theirs.projectId), []);
  });

  it('is counted also when it is the only one, and the request is refused', async () => {
    const { apiToken, projectId } = await buildTenant(world.server.db);
    assert.equal((await post(`${world.server.url}/e/`, { api_key: apiToken, event: 'e' })).status, 400);
    const [{ code, count } = {}] = await world.server.warnings(projectId);
    assert.deepEqual([code, count], ['missing_distinct_id', 1]);
  });
});

describe('a timestamp that means nothing', () => {
  const world = useCapture();

  it('is replaced by now, with a warning, once for an event that is sent again', async () => {
    const { apiToken, projectId } = await buildTenant(world.server.db);
    const batch = [
      { event: 'e', distinct_id: 'd', uuid: randomUUID(), timestamp: 'yesterday' },
      { event: 'e', distinct_id: 'd', uuid: randomUUID(), timestamp: '2999-01-01T00:00:00Z' },
      { event: 'e', distinct_id: 'd', uuid: randomUUID(), timestamp: '2025-06-02T09:00:00Z' },
      { event: 'e', distinct_id: 'd', uuid: randomUUID() },
    ];
    for (let time = 0; time < 2; time++) {
      const answer = await post(`${world.server.url}/batch/`, { api_key: apiToken, batch });
      assert.deepEqual(answer.body, { status: 1 });
    }
    const counts = (await world.server.warnings(projectId)).map(({ code, count }) => `${code} ${count}`).sort();
    assert.deepEqual(counts, ['event_timestamp_in_future 1', 'ignored_invalid_timestamp 1']);
    const { rows } = await world.server.pool.query(
      `select count(*)::int as n from events where project_id = $1 and abs(extract(epoch from now() - "timestamp")) < 60`,
      [projectId],
    );
    assert.deepEqual(rows, [{ n: 3 }]);
  });
});

describe('an event that is stored otherwise than it was sent', () => {
  const world = useCapture();

  /** Sends events of a project of its own. @returns the examples of its only warning, the first event's first */
  async function warned(events: object[], around: object = {}): Promise<{ code: string; examples: object[] }> {
    const { apiToken, projectId } = await buildTenant(world.server.db);
    for (const event of events) {
      const answer = await post(`${world.server.url}/batch/`, { api_key: apiToken, batch: [event], ...around });
      assert.equal(answer.status, 200);
    }
    const [{ code, examples }, ...others] = (await world.server.warnings(projectId)) as [WarningSummary];
    assert.deepEqual(others, []);
    const named = examples.map(({ seen_at: _seenAt, ...example }) => example);
    return { code, examples: named.toReversed() };
  }

  const uuid = randomUUID();

  it('is named with the timestamp that was replaced, as far as that is short', async () => {
    const stored = 'The event was stored as of its arrival: its timestamp';
    const unreadable: [unknown, string][] = [
      ['yesterday', '"yesterday" cannot be read. Use ISO 8601.'],
      ['x'.repeat(1_000), `"${'x'.repeat(100)}" cannot be read. Use ISO 8601.`],
      [{ a: 'x'.repeat(1_000) }, 'is no text, and cannot be read. Use ISO 8601.'],
      [-1e15, '-1000000000000000 cannot be read. Use ISO 8601.'],
    ];
    for (const [timestamp, words] of unreadable) {
      assert.deepEqual(await warned([{ event: 'e', distinct_id: 'd', uuid, timestamp }]), {
        code: 'ignored_invalid_timestamp',
        examples: [{ detail: `${stored} ${words}`, distinct_id: 'd', event_uuid: uuid }],
      });
    }
    const future = { event: 'e', distinct_id: 'd', uuid, timestamp: '2999-01-01T00:00:00Z' };
    assert.deepEqual(await warned([future]), {
      code: 'event_timestamp_in_future',
      examples: [
        { detail: `${stored} "2999-01-01T00:00:00Z" is more than 23 hours ahead.`, distinct_id: 'd', event_uuid: uuid },
      ],
    });
  });

  it('is named with what put its timestamp into the future', async () => {
    const { examples: offset } = await warned([{ event: 'e', distinct_id: 'd', uuid, offset: -1e9 }]);
    assert.match(JSON.stringify(offset), /its offset -1000000000 is more than 23 hours ahead/);
    const [timestamp, sentAt] = ['2026-01-02T00:00:00Z', '2025-12-01T00:00:00Z'];
    const { examples } = await warned([{ event: 'e', distinct_id: 'd', uuid, timestamp }], { sent_at: sentAt });
    assert.match(JSON.stringify(examples), /2026-01-02T00:00:00Z\\", by a clock that said \\"2025-12-01T00:00:00.000Z/);
  });

  it('is named with its name or its distinct id that was cut', async () => {
    assert.deepEqual(await warned([{ event: '🎈'.repeat(201), distinct_id: 'd', uuid }]), {
      code: 'event_name_truncated',
      examples: [
        {
          detail: `The event's name was cut after 200 characters. It begins with "${'🎈'.repeat(100)}".`,
          distinct_id: 'd',
          event_uuid: uuid,
        },
      ],
    });
    assert.deepEqual(await warned([{ event: 'e', distinct_id: 'd'.repeat(201), uuid }]), {
      code: 'distinct_id_truncated',
      examples: [
        {
          detail: "The event's distinct id was cut after 200 characters.",
          distinct_id: 'd'.repeat(200),
          event_uuid: uuid,
        },
      ],
    });
    const alias = { event: '$create_alias', distinct_id: 'd', uuid, properties: { alias: 'a'.repeat(201) } };
    assert.deepEqual(await warned([alias]), {
      code: 'distinct_id_truncated',
      examples: [
        {
          detail: 'The id that $create_alias merges into "d" was cut after 200 characters.',
          distinct_id: 'd',
          event_uuid: uuid,
        },
      ],
    });
  });

  it('is named with the group keys of it that were cut', async () => {
    const groups = { company: 'c'.repeat(401), team: 't'.repeat(400), plan: 'p'.repeat(402) };
    const detail = 'A group key of the event was cut after 400 characters.';
    const described = { $group_type: 'company', $group_key: 'c'.repeat(401), $group_set: {} };
    for (const [properties, count] of [
      [{ $groups: groups }, 2],
      [described, 1],
    ] as const) {
      const event = count === 1 ? '$groupidentify' : 'e';
      assert.deepEqual(await warned([{ event, distinct_id: 'd', uuid, properties }]), {
        code: 'group_key_truncated',
        examples: Array.from({ length: count }, () => ({ detail, distinct_id: 'd', event_uuid: uuid })),
      });
    }
  });

  it('is not warned of when its name and its distinct id have 200 characters', async () => {
    const { apiToken, projectId } = await buildTenant(world.server.db);
    const batch = [{ event: '🎈'.repeat(200), distinct_id: '🎈'.repeat(200) }];
    assert.deepEqual((await post(`${world.server.url}/batch/`, { api_key: apiToken, batch })).body, { status: 1 });
    assert.deepEqual(await world.server.warnings(projectId), []);
  });

  it('takes no more room than five examples, however many there are', async () => {
    const { apiToken, projectId } = await buildTenant(world.server.db);
    const batch = Array.from({ length: 500 }, (_, n) => ({ event: `${n}`.padEnd(201, '-'), distinct_id: 'd' }));
    await post(`${world.server.url}/batch/`, { api_key: apiToken, batch });
    const [{ count, examples } = { count: 0, examples: [] }] = await world.server.warnings(projectId);
    assert.deepEqual([count, examples.length], [500, 5]);
  });
});

type Example = { detail: string; seen_at: string };
