/** An event is the same event in whatever way it is sent; and every other request is answered, too. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { useCapture } from '../../support/events/capture.ts';
import { capturePath, contentType, packing, requestOf, send, sendingWay } from '../../support/api/ways.ts';

/** Without NUL, which is replaced when it is stored. */
const text = fc.string({ unit: 'binary', maxLength: 20 }).map((some) => some.replaceAll('\0', ''));
const name = text.map((some) => `e${some}`);
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(text, text, { maxKeys: 3 }), text);
const event = fc.record({
  event: name,
  distinct_id: name,
  properties: fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }),
});
type Event = { uuid: string; event: string; distinct_id: string; properties: Record<string, unknown> };

/** Any UTF-16, half surrogate pairs included. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
const odd = fc.constantFrom<unknown>(
  '\0',
  '\ud800',
  '',
  ' ',
  '__proto__',
  '9999-12-31T23:59:59Z',
  '0001-01-01',
  -0,
  1e308,
  -1,
  2 ** 53,
);
const anyValue = fc.oneof(fc.jsonValue(), anyText, odd, fc.dictionary(anyText, odd));
const memberName = fc.constantFrom(
  ...'event distinct_id $distinct_id uuid timestamp offset sent_at batch properties $set $set_once $unset'.split(' '),
  ...'$groups $group_type $group_key $group_set $anon_distinct_id alias token $process_person_profile'.split(' '),
  ...'__proto__ constructor toJSON toString historical_migration $elements_chain $ignore_sent_at'.split(' '),
);
const oddObject = fc.dictionary(memberName, anyValue, { maxKeys: 12 });
const eventName = fc.constantFrom('e', '$identify', '$create_alias', '$merge_dangerously', '$groupidentify', '$set');
const oddEvent = fc.tuple(event, eventName, oddObject, oddObject).map(([good, event, more, within]) => {
  return { ...good, event, ...more, properties: { ...within, $set: within, $groups: within } };
});

const oddHeaders = fc.record(
  {
    'Content-Type': fc.oneof(contentType, fc.constantFrom('multipart/form-data', 'application/json; charset=utf-7')),
    'Content-Encoding': fc.constantFrom('gzip', 'identity', 'br', 'gzip, gzip', ''),
    Origin: fc.constantFrom('null', 'https://shop.example'),
    Authorization: fc.constantFrom('Bearer', 'Bearer phx_x', 'Basic eA=='),
  },
  { requiredKeys: [] },
);
const oddRequest = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'HEAD', 'OPTIONS', 'PUT'),
  path: fc
    .tuple(capturePath, fc.constantFrom('', 'gzip', 'base64', 'lz64', 'zip'), fc.webQueryParameters())
    .map(([path, hint, more]) => `${path}?compression=${hint}&${more}`),
  headers: oddHeaders,
});

/** Of each property: also where it fails and a smaller example is looked for. */
const BOUNDS = { numRuns: 300, interruptAfterTimeLimit: 20_000 };

describe('decoding', () => {
  const world = useCapture({ tenant: { anonymizeIps: true } });

  const stored = async (uuids: string[]) =>
    (
      await world.server.pool.query<Event>(
        'select uuid, event, distinct_id, properties from events where uuid = any ($1) order by array_position($1, uuid)',
        [uuids],
      )
    ).rows;

  it('finds the same events, in whatever way they were sent', async () => {
    const events = fc.array(event, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(events, sendingWay, async (some, chosen) => {
        const key = world.tenant.apiToken;
        const sent: Event[] = some.slice(0, chosen.envelope === 'one' ? 1 : 3).map(({ properties, ...more }) => ({
          uuid: randomUUID(),
          ...more,
          properties: { ...properties, ...(chosen.keyName === 'property' && { token: key }) },
        }));
        assert.equal(await send(world.server.port, requestOf(sent, key, chosen)), 200);
        // As JSON has it: there is no negative zero.
        assert.deepEqual(await stored(sent.map(({ uuid }) => uuid)), JSON.parse(JSON.stringify(sent)));
      }),
      BOUNDS,
    );
  });

  it('answers whatever bytes come, and never with a failure of its own', async () => {
    const damaged = fc
      .tuple(event, packing, fc.boolean(), fc.nat(), fc.nat(255))
      .map(([good, { pack }, zipped, at, byte]) => {
        const packed = Buffer.from(pack(JSON.stringify({ ...good, api_key: world.tenant.apiToken })));
        const bytes = zipped ? gzipSync(packed) : packed;
        bytes[at % bytes.length] = byte;
        return bytes;
      });
    const bytes = fc.oneof(
      damaged,
      fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some)),
    );
    await fc.assert(
      fc.asyncProperty(oddRequest, bytes, async (odd, body) => {
        const status = await send(world.server.port, { ...odd, body });
        assert.ok(status < 500, String(status));
      }),
      BOUNDS,
    );
  });

  it('answers whatever JSON comes, and never with a failure of its own', async () => {
    const events = fc.array(fc.oneof(oddEvent, oddEvent, oddObject, anyValue), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(capturePath, events, oddObject, async (path, batch, around) => {
        const body = Buffer.from(JSON.stringify({ ...around, api_key: world.tenant.apiToken, batch }));
        const status = await send(world.server.port, { method: 'POST', path, headers: {}, body });
        assert.ok(status === 200 || status === 400, String(status));
      }),
      BOUNDS,
    );
    assert.deepEqual(Object.keys(Object.prototype), []);
  });
});
