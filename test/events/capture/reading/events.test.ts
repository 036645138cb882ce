import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../../../src/events/capture/limits.ts';
import { post, useCapture } from '../../../support/events/capture.ts';

type Row = {
  uuid: string;
  event: string;
  distinct_id: string;
  properties: unknown;
  elements_chain: string;
};

const nested = (levels: number) => `"properties":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const many = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 0])));

describe('an event sent to capture', () => {
  const world = useCapture({ tenant: { anonymizeIps: true }, emptied: true });

  const stored = async () =>
    (await world.server.pool.query<Row>('select *, properties::text as properties from events order by event')).rows;

  const sendBatch = (batch: unknown[], more: object = {}) =>
    post(`${world.server.url}/batch/`, { api_key: world.tenant.apiToken, batch, ...more });

  /** Sends raw JSON members of one event and returns the row. */
  async function sendAndReadRow(members: string): Promise<Row> {
    const answer = await post(
      `${world.server.url}/e/`,
      `{"api_key":"${world.tenant.apiToken}","event":"e","distinct_id":"d",${members}}`,
    );
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (await stored())[0]!;
  }

  describe('keeps its properties', () => {
    const cases: [string, string, string][] = [
      ['nested', '{"a":{"b":[1,2,{"c":null}]}}', '{"a": {"b": [1, 2, {"c": null}]}}'],
      ['with NUL replaced in names and values', '{"a\\u0000":"\\u0000b"}', '{"a\ufffd": "\ufffdb"}'],
      [
        'with half surrogate pairs replaced',
        '{"\\ud800":["\\udc00x",{"y":"\\uD83D"}]}',
        '{"\ufffd": ["\ufffdx", {"y": "\ufffd"}]}',
      ],
      ['with whole surrogate pairs', '{"a":"\\ud83c\\udf88"}', '{"a": "🎈"}'],
      ['with texts that only look like escapes', '{"a":"\\\\u0000\\\\ud800\\u0041"}', '{"a": "\\\\u0000\\\\ud800A"}'],
      [
        'with numbers beyond all range as null',
        '{"a":1e400,"b":-1e400,"c":1e131073}',
        '{"a": null, "b": null, "c": null}',
      ],
      [
        'with numbers as IEEE doubles',
        '{"a":-0,"b":9007199254740993,"c":1e-7}',
        '{"a": 0, "b": 9007199254740992, "c": 0.0000001}',
      ],
      [
        'with __proto__ as a name like any other',
        '{"__proto__":{"x":1},"constructor":{"prototype":2}}',
        '{"__proto__": {"x": 1}, "constructor": {"prototype": 2}}',
      ],
      [
        'with __proto__ in what it sets',
        '{"$set":{"__proto__":{"x":1}},"$set_once":{"constructor":{"prototype":{"x":1}}}}',
        '{"$set": {"__proto__": {"x": 1}}, "$set_once": {"constructor": {"prototype": {"x": 1}}}}',
      ],
      ['with __proto__ beside what is replaced', '{"__proto__":{"x":"\\u0000"}}', '{"__proto__": {"x": "\ufffd"}}'],
      ['with the last of equal names', '{"a":1,"a":2}', '{"a": 2}'],
    ];
    for (const [words, sent, expected] of cases) {
      it(words, async () => {
        assert.equal((await sendAndReadRow(`"properties":${sent}`)).properties, expected);
        assert.equal(({} as { x?: unknown }).x, undefined);
      });
    }

    it('128 levels deep, but not deeper', async () => {
      await sendAndReadRow(nested(LIMITS.depth - 2));
      const head = `"api_key":"${world.tenant.apiToken}","event":"e","distinct_id":"d"`;
      const answer = await post(`${world.server.url}/e/`, `{${head},${nested(LIMITS.depth - 1)}}`);
      assert.deepEqual([answer.status, answer.body['code']], [400, 'nested_too_deeply']);
    });

    it('24,000 of them, but not 80,000', async () => {
      await sendAndReadRow(`"properties":${many(24_000)}`);
      const head = `"api_key":"${world.tenant.apiToken}","event":"e","distinct_id":"d"`;
      const { status, body } = await post(`${world.server.url}/e/`, `{${head},"properties":${many(80_000)}}`);
      assert.deepEqual([status, body['code']], [413, 'payload_too_large']);
    });

    it('and joins what is set among them and beside them, where the latter wins', async () => {
      const row = await sendAndReadRow(
        '"$set":{"a":1,"b":1},"$unset":["x"],"$set_once":null,"properties":{"$set":{"a":2,"c":2},"$set_once":{"d":2}}',
      );
      const expected = '{"$set": {"a": 1, "b": 1, "c": 2}, "$unset": ["x"], "$set_once": {"d": 2}}';
      assert.equal(row.properties, expected);
    });

    it('and what SDKs write beside them, but not the elements chain', async () => {
      const row = await sendAndReadRow(
        '"$set":{"a":1},"$set_once":{"b":2},"properties":{"c":3,"$elements_chain":"a:x\\u0000;"}',
      );
      assert.equal(row.properties, '{"c": 3, "$set": {"a": 1}, "$set_once": {"b": 2}}');
      assert.equal(row.elements_chain, 'a:x\ufffd;');
    });
  });

  describe('is of someone', () => {
    const cases: [string, string][] = [
      ['"someone"', 'someone'],
      ['12.5', '12.5'],
      ['0', '0'],
      ['false', 'false'],
      ['{"a":[1]}', '{"a":[1]}'],
      ['"null"', 'null'],
      ['"a\\u0000\\ud800"', 'a\ufffd\ufffd'],
      [`"${'x'.repeat(201)}"`, 'x'.repeat(200)],
      [`"${'🎈'.repeat(201)}"`, '🎈'.repeat(200)],
    ];
    for (const [sent, expected] of cases) {
      it(`${sent.slice(0, 30)} is ${expected.slice(0, 30)}`, async () => {
        assert.equal((await sendAndReadRow(`"distinct_id":${sent}`)).distinct_id, expected);
      });
    }

    it('also when the id is among the properties', async () => {
      const body = { api_key: world.tenant.apiToken, event: 'e', properties: { distinct_id: 'there' } };
      assert.equal((await post(`${world.server.url}/e/`, body)).status, 200);
      assert.equal((await stored())[0]!.distinct_id, 'there');
    });
  });

  it('has a name of 200 characters at most: a longer one is cut', async () => {
    const cases = [
      ['e'.repeat(200), 'e'.repeat(200)],
      ['e'.repeat(201), 'e'.repeat(200)],
      [`${'e'.repeat(199)}🎈é`, `${'e'.repeat(199)}🎈`],
    ];
    for (const [sent, expected] of cases) {
      await world.server.pool.query('truncate events, event_ids');
      const { status, body } = await sendBatch([{ event: sent, distinct_id: 'd' }]);
      assert.deepEqual([status, body, (await stored())[0]!.event], [200, { status: 1 }, expected]);
    }
  });

  describe('has a uuid', () => {
    it('of its own, in lower case', async () => {
      const uuid = randomUUID();
      assert.equal((await sendAndReadRow(`"uuid":"${uuid.toUpperCase()}"`)).uuid, uuid);
    });

    for (const members of ['"uuid":""', '"uuid":null', '"x":0']) {
      it(`of version 7 when it says ${members}`, async () => {
        const { uuid } = await sendAndReadRow(members);
        assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        assert.ok(Math.abs(parseInt(uuid.replace('-', '').slice(0, 12), 16) - Date.now()) < 5_000);
      });
    }

    it('that is stored once: the first of a request, and never again', async () => {
      const uuid = randomUUID();
      const named = (...names: string[]) => names.map((name) => ({ event: name, distinct_id: 'd', uuid }));
      assert.deepEqual((await sendBatch(named('b', 'a'))).body, { status: 1 });
      assert.deepEqual((await sendBatch(named('c'))).body, { status: 1 });
      assert.deepEqual(
        (await stored()).map((row) => row.event),
        ['b'],
      );
    });
  });

  it('is kept beside 999 others, one of which is bad', async () => {
    const batch = Array.from({ length: 1000 }, (_, index) => ({ event: 'e', distinct_id: index === 500 ? '' : 'd' }));
    const { status, body } = await sendBatch(batch);
    const rejected = body['rejected'] as { index: number }[];
    assert.deepEqual([status, rejected.map(({ index }) => index), (await stored()).length], [200, [500], 999]);
  });

  describe('is refused', () => {
    const cases: [string, unknown, string, string | null][] = [
      ['no object', 7, 'invalid_input', null],
      ['without a name', { distinct_id: 'd' }, 'missing_event_name', 'event'],
      ['with a blank name', { event: ' ', distinct_id: 'd' }, 'missing_event_name', 'event'],
      ['with a name of another type', { event: ['e'], distinct_id: 'd' }, 'missing_event_name', 'event'],
      ['with a name that begins blank for too long', { event: `${' '.repeat(200)}e`, distinct_id: 'd' }, 'missing_event_name', 'event'], // prettier-ignore
      ['without a distinct id', { event: 'e' }, 'missing_distinct_id', 'distinct_id'],
      ['with a null distinct id', { event: 'e', distinct_id: null }, 'missing_distinct_id', 'distinct_id'],
      ['with a blank distinct id', { event: 'e', distinct_id: ' ' }, 'missing_distinct_id', 'distinct_id'],
      [
        'with properties of another type',
        { event: 'e', distinct_id: 'd', properties: [] },
        'invalid_input',
        'properties',
      ],
      ['with an invalid uuid', { event: 'e', distinct_id: 'd', uuid: 'x' }, 'invalid_uuid', 'uuid'],
      ['with a uuid of another type', { event: 'e', distinct_id: 'd', uuid: 5 }, 'invalid_uuid', 'uuid'],
      [
        'with too many properties',
        { event: 'e', distinct_id: 'd', properties: { a: 'x'.repeat(LIMITS.propertiesLength) } },
        'event_too_large',
        'properties',
      ],
      [
        'with a chain of elements that is too long',
        { event: 'e', distinct_id: 'd', properties: { $elements_chain: 'x'.repeat(LIMITS.propertiesLength) } },
        'event_too_large',
        'properties',
      ],
      [
        'with too many digits in its numbers',
        { event: 'e', distinct_id: 'd', properties: { a: Array.from({ length: 4_000 }, () => 1e300) } },
        'event_too_large',
        'properties',
      ],
      [
        'with a property of ten megabytes',
        { event: 'e', distinct_id: 'd', properties: { a: 'x'.repeat(10_000_000) } },
        'event_too_large',
        'properties',
      ],
    ];
    for (const [words, bad, code, attr] of cases) {
      it(`${words}, alone with 400, in a batch by its index`, async () => {
        const good = { event: 'e', distinct_id: 'd' };
        const alone = await sendBatch([bad]);
        assert.deepEqual([alone.status, alone.body['code'], alone.body['attr']], [400, code, attr]);

        const { status, body } = await sendBatch([good, bad, good]);
        const [rejected] = body['rejected'] as Record<string, unknown>[];
        assert.deepEqual([status, body['status'], rejected!['index'], rejected!['code']], [200, 1, 1, code]);
        assert.equal((await stored()).length, 2);
      });
    }
  });
});
