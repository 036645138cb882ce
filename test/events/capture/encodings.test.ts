import assert from 'node:assert/strict';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import LZString from 'lz-string';
import { LIMITS } from '../../../src/events/capture/limits.ts';
import { post, useCapture } from '../../support/events/capture.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const TEXT = { 'Content-Type': 'text/plain' };

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const lz64 = (text: string) => LZString.compressToBase64(text);
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

describe('an event arrives', () => {
  const world = useCapture({ tenant: { anonymizeIps: true }, emptied: true });

  // Characters whose base64 has plus and slash, and those of every width in UTF-8 and UTF-16.
  const properties = { text: '>>>???~~~ + %2B & é 漢 🎈', n: 1.5, nested: [{ a: null }] };
  const event = () => JSON.stringify({ api_key: world.tenant.apiToken, event: 'e', distinct_id: 'd', properties });
  const stored = async () =>
    (await world.server.pool.query<{ properties: unknown }>('select properties from events')).rows;

  const posted: [string, string, (json: string) => string | Buffer, Record<string, string>?][] = [
    ['as JSON of no declared type', '', (json) => Buffer.from(json), { 'Content-Type': '' }],
    ['as JSON in a form’s clothes', '', (json) => json, FORM],
    ['as JSON, whatever the hint', '?compression=gzip-js', (json) => json, TEXT],
    ['in gzip, whatever the hint', '?compression=base64', (json) => gzipSync(json), TEXT],
    ['in gzip, whatever the type', '', (json) => gzipSync(json), FORM],
    ['in base64', '', base64, TEXT],
    ['in base64 of the other alphabet, without padding', '', base64url, TEXT],
    ['in base64 with escapes', '', (json) => encodeURIComponent(base64(json)), TEXT],
    ['in base64 that says so', '?compression=b64', base64, FORM],
    ['in gzip in base64', '?compression=gzip', (json) => base64(gzipSync(json)), TEXT],
    ['in base64 in gzip', '', (json) => gzipSync(base64(json)), { ...TEXT, 'Content-Encoding': 'gzip' }],
    ['in lz64', '?compression=lz64', lz64, TEXT],
    ['in a form', '', (json) => form({ data: json }), FORM],
    ['in a form, base64', '?compression=base64', (json) => form({ data: base64(json) }), FORM],
    ['in a form, base64 with bare plus signs', '', (json) => `data=${base64(json)}`, FORM],
    ['in a form, base64 with spaces', '', (json) => `data=${base64(json).replaceAll('+', '%20')}`, FORM],
    [
      'in a form, base64 as its own field says',
      '',
      (json) => form({ data: base64(json), compression: 'base64' }),
      FORM,
    ],
    ['in a form, lz64', '?ip=1', (json) => form({ data: lz64(json), compression: 'lz64' }), FORM],
    ['in a form, lz-string', '', (json) => form({ compression: 'LZ-String', data: lz64(json) }), FORM],
    ['in a form, gzip in base64', '', (json) => form({ data: base64(gzipSync(json)) }), FORM],
    ['in a form that says that it is text', '', (json) => form({ data: base64(json), ip: '1' }), TEXT],
    ['in a form in gzip', '', (json) => gzipSync(form({ data: base64(json) })), FORM],
  ];
  for (const [words, query, encode, headers] of posted) {
    it(words, async () => {
      const answer = await post(`${world.server.url}/e/${query}`, encode(event()), headers);
      assert.deepEqual([answer.status, answer.body], [200, { status: 1 }]);
      assert.deepEqual(await stored(), [{ properties }]);
    });
  }

  const queries: [string, (json: string) => Record<string, string>][] = [
    ['JSON', (json) => ({ data: json })],
    ['base64', (json) => ({ data: base64(json), compression: 'base64' })],
    ['gzip in base64', (json) => ({ compression: 'gzip', data: base64(gzipSync(json)) })],
    ['lz64', (json) => ({ data: lz64(json), compression: 'lz64' })],
  ];
  for (const [words, fields] of queries) {
    it(`as ${words} in the query, by GET and by POST`, async () => {
      const url = `${world.server.url}/e/?ip=1&${form(fields(event()))}`;
      assert.equal((await fetch(url)).status, 200);
      assert.equal((await post(url, '{"event":"what is in the query comes first"}')).status, 200);
      assert.deepEqual(await stored(), [{ properties }, { properties }]);
    });
  }

  it('with numbers that JSON does not have as null, and texts that only look so as they are', async () => {
    const sent = '{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN, \\"NaN, \\\\","d":NaN}';
    await post(`${world.server.url}/e/`, event().replace(JSON.stringify(properties), sent));
    assert.deepEqual(await stored(), [{ properties: { a: null, b: [null, null], c: 'NaN, "NaN, \\', d: null } }]);
  });

  it('in a beacon, which is answered with nothing', async () => {
    const answer = await fetch(`${world.server.url}/e/?beacon=1`, { method: 'POST', body: event() });
    assert.deepEqual([answer.status, await answer.text(), (await stored()).length], [204, '', 1]);
  });

  it('at /engage without a name as $identify', async () => {
    const engage = { $token: world.tenant.apiToken, $distinct_id: 'd', $set: { plan: 'pro' } };
    for (const body of [engage, { ...engage, event: null }]) {
      assert.equal((await post(`${world.server.url}/engage/`, body)).status, 200);
    }
    assert.equal((await post(`${world.server.url}/e/`, engage)).body['code'], 'missing_event_name');
    const { rows } = await world.server.pool.query('select event, distinct_id, properties from events');
    const identified = { event: '$identify', distinct_id: 'd', properties: { $set: { plan: 'pro' } } };
    assert.deepEqual(rows, [identified, identified]);
  });

  describe('not', () => {
    const cases: [string, number, string, () => string | Buffer, Record<string, string>?][] = [
      ['as something else in a form', 400, '', () => 'data=%%%', FORM],
      ['in a form without data', 400, '', () => 'event=e', FORM],
      ['in an empty form', 400, '', () => 'data=', FORM],
      ['in base64 of another alphabet', 400, '', () => base64(event()).replace('e', '*'), TEXT],
      ['in base64 padded inside', 400, '', () => `${base64('{"a":')}==${base64('1}')}`, TEXT],
      ['in base64 of base64', 400, '', () => base64(base64(event())), TEXT],
      ['in gzip of gzip in base64', 400, '', () => base64(gzipSync(gzipSync(event()))), TEXT],
      ['in broken gzip in base64', 400, '', () => base64(gzipSync(event()).subarray(0, -9)), TEXT],
      ['in broken lz64', 400, '?compression=lz64', () => lz64(event()).slice(0, -9), TEXT],
      ['in lz64 of another alphabet', 400, '?compression=lz64', () => `*${lz64(event()).slice(1)}`, TEXT],
      ['in base64 that says that it is lz64', 400, '?compression=lz64', () => base64(event()), TEXT],
      ['in lz64 that does not say so', 400, '', () => lz64(event()), TEXT],
      ['under a hint that nobody knows', 400, '?compression=zip', () => event()],
      ['under a hint that is a name of objects', 400, '?compression=constructor', () => event()],
    ];
    for (const [words, status, query, body, headers] of cases) {
      it(words, async () => {
        const answer = await post(`${world.server.url}/e/${query}`, body(), headers);
        assert.deepEqual([answer.status, answer.body['type']], [status, 'invalid_request']);
        assert.deepEqual(await stored(), []);
      });
    }

    it('by GET without data', async () => {
      assert.equal((await fetch(`${world.server.url}/e/`)).status, 400);
    });
  });

  it('is refused with 413 as soon as it grows beyond what is allowed, and memory stays where it was', async () => {
    const blank = Buffer.alloc(128 * 1024 * 1024, 0x20);
    // Compressed in another thread, because connections that are kept would time out while the event loop is blocked.
    const packed = await promisify(gzip)(blank);
    const bombs: [string, string | Buffer][] = [
      ['', packed],
      ['', base64(packed)],
      ['', `data=${base64(packed)}`],
    ];
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    for (const [query, bomb] of bombs) {
      assert.ok(bomb.length < LIMITS.bodyBytes);
      assert.equal((await post(`${world.server.url}/e/${query}`, bomb, TEXT)).status, 413);
    }
    clearInterval(watch);
    assert.ok(peak - before < 64 * 1024 * 1024, `${(peak - before) / 1e6} MB more`);
  });
});
