import assert from 'node:assert/strict';
import { request, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  deflate,
  deflateSync,
  gzip as compress,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { LIMITS } from '../../../src/events/capture/limits.ts';
import { CAPTURE_PATHS } from '../../../src/events/capture/paths.ts';
import { post, useCapture } from '../../support/events/capture.ts';

const event = (more: object = {}) => ({ event: 'pageview', distinct_id: 'someone', ...more });
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`member ${at}`, 'a value of some letters']));
const inflatingForm = (bytes: number) => gzipSync(`data=[${'%20'.repeat((bytes - 20) / 3)}`);
/** RFC 8878: one raw block behind a head that asks for a window of so many bits. */
function zstdOfWindow(bits: number, bytes: Buffer): Buffer {
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (bits - 10) << 3]), block, bytes]);
}
const assertEnvelope = (body: Record<string, unknown>) =>
  assert.deepEqual(Object.keys(body), ['type', 'code', 'detail', 'attr']);

/** Writes a request to a socket of its own. @returns all that came back until the server closed it */
function sendRaw(port: number, framing: string, chunks: Buffer[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(`POST /e/ HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
    for (const chunk of chunks) socket.write(chunk);
  });
}

/** As clients do that read nothing before all is sent. @throws when the connection breaks before that */
function sendWhole(url: string, body: Buffer, headers: OutgoingHttpHeaders): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers }, (answer) => {
      const status = answer.resume().statusCode!;
      if (sent.writableFinished) resolve(status);
      else sent.once('finish', () => resolve(status));
    });
    sent.once('error', reject).end(body);
  });
}

describe('a body sent to capture', () => {
  const world = useCapture({ emptied: true });

  const withKey = (more: object = {}) => ({ api_key: world.tenant.apiToken, ...event(more) });
  const nested = (levels: number) =>
    `{"properties":${'['.repeat(levels)}${']'.repeat(levels)},"api_key":"${world.tenant.apiToken}"}`;
  const stored = async () => (await world.server.pool.query('select from events')).rowCount;

  const paths = CAPTURE_PATHS.flatMap((path) => [path, `${path}/`]);
  for (const path of [...paths, '/e/?ip=1']) {
    it(`is taken at ${path}, in each of the three forms`, async () => {
      const forms = [
        withKey(),
        [withKey(), withKey()],
        { api_key: world.tenant.apiToken, batch: [event()], sent_at: new Date().toISOString() },
      ];
      for (const form of forms) {
        const answer = await post(world.server.url + path, form);
        assert.deepEqual([answer.status, answer.body], [200, { status: 1 }]);
      }
      assert.equal(await stored(), 4);
    });
  }

  it('elsewhere is not for capture', async () => {
    for (const path of ['/', '/e//', '/event/', '/capture/x', '/batch/1/', '/E/']) {
      const answer = await fetch(world.server.url + path, { method: 'POST', body: '{}' });
      assert.equal(answer.status, 418, path);
    }
  });

  const readable: [string, (body: Buffer) => Buffer, Record<string, string>][] = [
    ['JSON called text/plain', (body) => body, { 'Content-Type': 'text/plain;charset=UTF-8' }],
    ['JSON behind a byte order mark', (body) => Buffer.concat([Buffer.from('\ufeff'), body]), {}],
    ['gzip that says so', (body) => gzipSync(body), { 'Content-Encoding': 'gzip' }],
    ['gzip that does not say so', (body) => gzipSync(body), { 'Content-Type': 'text/plain' }],
    ['brotli', (body) => brotliCompressSync(body), { 'Content-Encoding': 'br' }],
    ['deflate', (body) => deflateSync(body), { 'Content-Encoding': 'Deflate' }],
    ['zstd', (body) => zstdCompressSync(body), { 'Content-Encoding': 'zstd' }],
    [
      'gzip of several members',
      (body) => Buffer.concat([gzipSync(body.subarray(0, 9)), gzipSync(body.subarray(9))]),
      {},
    ],
  ];
  for (const [words, encode, headers] of readable) {
    it(`may be ${words}`, async () => {
      const answer = await post(`${world.server.url}/e/`, encode(json(withKey())), headers);
      assert.deepEqual([answer.status, await stored()], [200, 1]);
    });
  }

  const gzip = { 'Content-Encoding': 'gzip' };
  const good = () => json(withKey());
  const refused: [string, number, () => Buffer | string, Record<string, string>?][] = [
    ['nothing', 400, () => ''],
    ['null', 400, () => 'null'],
    ['an empty array', 400, () => '[]'],
    ['a text', 400, () => '"x"'],
    ['a number', 400, () => '123'],
    ['true', 400, () => 'true'],
    ['an empty batch', 400, () => json({ api_key: world.tenant.apiToken, batch: [] })],
    ['a batch that is no array', 400, () => json({ api_key: world.tenant.apiToken, batch: { 0: event() } })],
    ['broken JSON', 400, () => '{"api_key":'],
    ['a trailing comma', 400, () => '{"event":"a",}'],
    ['undefined', 400, () => '{"event":undefined}'],
    ['UTF-16', 400, () => Buffer.from(JSON.stringify(event()), 'utf16le')],
    [
      'invalid UTF-8',
      400,
      () => Buffer.concat([Buffer.from('{"event":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    ],
    ['a form of several parts', 415, good, { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['plain JSON called gzip', 400, good, gzip],
    ['gzip cut short', 400, () => gzipSync(good()).subarray(0, -9), gzip],
    ['gzip damaged inside', 400, () => gzipSync(good()).fill(0xff, 12, 30), gzip],
    ['gzip twice', 415, () => gzipSync(gzipSync(good())), { 'Content-Encoding': 'gzip, gzip' }],
    ['gzip in gzip, said once', 400, () => gzipSync(gzipSync(good())), gzip],
    ['plain JSON called brotli', 400, good, { 'Content-Encoding': 'br' }],
    ['plain JSON called deflate', 400, good, { 'Content-Encoding': 'deflate' }],
    ['plain JSON called zstd', 400, good, { 'Content-Encoding': 'zstd' }],
    ['compress', 415, good, { 'Content-Encoding': 'compress' }],
    ['zstd with a window of 128 MiB', 400, () => zstdOfWindow(27, good()), { 'Content-Encoding': 'zstd' }],
    [
      'more events than allowed',
      413,
      () => JSON.stringify(Array.from({ length: LIMITS.eventsPerRequest + 1 }, () => 0)),
    ],
    ['more bytes than allowed', 413, () => ' '.repeat(LIMITS.bodyBytes + 1)],
    ['ten thousand levels', 400, () => nested(1e4)],
    ['a million levels', 413, () => nested(9e5)],
    [
      'more values than allowed',
      413,
      () => JSON.stringify(withKey({ properties: { list: Array.from({ length: LIMITS.values }, () => 1) } })),
    ],
    [
      'an event of more values than allowed',
      400,
      () =>
        JSON.stringify(
          withKey({ properties: { list: Array.from({ length: LIMITS.valuesPerEvent + 1 }, () => 'a value') } }),
        ),
    ],
  ];
  for (const [words, status, body, headers] of refused) {
    it(`is refused with ${status} and the envelope when it is ${words}`, async () => {
      const answer = await post(`${world.server.url}/e/`, body(), headers);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assertEnvelope(answer.body);
      assert.equal(await stored(), 0);
    });
  }

  it('is refused as soon as it inflates to more than allowed, and memory stays where it was', async () => {
    const blank = Buffer.alloc(256 * 1024 * 1024, 0x20);
    // Compressed in other threads, because connections that are kept would time out while the event loop is blocked.
    const bombs: [Buffer, string][] = [
      [await promisify(compress)(blank), 'gzip'],
      [await promisify(deflate)(blank), 'deflate'],
      [await promisify(brotliCompress)(blank, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }), 'br'],
      [await promisify(zstdCompress)(blank), 'zstd'],
    ];
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    for (const [bytes, encoding] of bombs) {
      assert.ok(bytes.length < 300_000);
      assert.equal((await post(`${world.server.url}/e/`, bytes, { 'Content-Encoding': encoding })).status, 413);
    }
    clearInterval(watch);
    assert.ok(peak - before < 96 * 1024 * 1024, `${(peak - before) / 1e6} MB more`);
  });

  it('is read to its end when it is refused for its size, so that the sender sees why; not when it has no end in sight', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 0x20);
    const announced = `Content-Length: ${24 * megabyte.length}`;
    const next = Buffer.from('PUT /e/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const answers = await sendRaw(world.server.port, announced, [...Array.from({ length: 24 }, () => megabyte), next]);
    assert.match(answers, /^HTTP\/1\.1 413 [^]*HTTP\/1\.1 405 /);

    const endless = await sendRaw(world.server.port, `Content-Length: ${2 ** 40}`, []);
    assert.match(endless, /^HTTP\/1\.1 413 [^]*Connection: close/);
  });

  it('that is refused ends the connection when it continues for too long without an announced length', async () => {
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024, 0x20), Buffer.from('\r\n')]);
    const socket = connect(world.server.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    socket.on('error', () => {});
    socket.write('POST /e/ HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/x\r\nTransfer-Encoding: chunked\r\n\r\n');
    let megabytes = 0;
    for (; megabytes < 80 && socket.writable; megabytes++) {
      if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    socket.destroy();
    assert.ok(megabytes > 30 && megabytes < 60, `${megabytes} MB`);
  });

  const batchOf = (megabytes: number) => {
    const properties = { padding: 'x'.repeat(950_000) };
    const batch = Array.from({ length: Math.floor(megabytes / 0.95) }, () => event({ properties }));
    return json({ api_key: world.tenant.apiToken, batch });
  };
  for (const path of CAPTURE_PATHS) {
    it(`may have 19 MB at ${path}/; of 21 and of 39 the sender hears why not`, async () => {
      const answer = await post(`${world.server.url}${path}/`, batchOf(19));
      assert.deepEqual([answer.status, answer.body], [200, { status: 1 }]);
      assert.equal(await stored(), 20);
      const [larger, muchLarger] = [batchOf(21.9), batchOf(39.9)];
      const url = `${world.server.url}${path}/`;
      assert.equal(await sendWhole(url, larger, { 'Content-Length': larger.length }), 413);
      assert.equal(await sendWhole(url, muchLarger, { 'Transfer-Encoding': 'chunked' }), 413);
    });
  }

  it('may hold as many values as are allowed, and more where its bytes are more', async () => {
    const list = Array.from({ length: LIMITS.valuesPerEvent - 10 }, () => 'a value that is longer');
    const batch = [1, 2, 3, 4].map(() => event({ properties: { list } }));
    const body = JSON.stringify({ api_key: world.tenant.apiToken, batch });
    assert.ok(body.length > LIMITS.values * LIMITS.bytesPerValue);
    assert.equal((await post(`${world.server.url}/batch/`, body)).status, 200);
    assert.equal(await stored(), 4);
  });

  it('may hold ten thousand events of twenty properties, but not of forty, and not one event of 100,000', async () => {
    const events = Array.from({ length: LIMITS.eventsPerRequest }, () => event({ properties: members(20) }));
    assert.equal((await post(`${world.server.url}/batch/`, gzipSync(json(withKey({ batch: events }))))).status, 200);
    assert.equal(await stored(), LIMITS.eventsPerRequest);
    const wider = Array.from({ length: LIMITS.eventsPerRequest }, () => event({ properties: members(40) }));
    for (const batch of [wider, [event({ properties: members(100_000) })]]) {
      assert.equal((await post(`${world.server.url}/batch/`, gzipSync(json(withKey({ batch }))))).status, 413);
    }
  });

  it('that is neither JSON nor base64 of JSON is called that', async () => {
    const base64 = Buffer.from('hello, world').toString('base64');
    for (const sent of ['x', 'hello', base64, '"a"', 'data=hello']) {
      const { status, body } = await post(`${world.server.url}/batch/`, sent);
      const expected = [400, 'parse_error', 'The body is neither JSON nor base64 of JSON.'];
      assert.deepEqual([status, body['code'], body['detail']], expected, sent);
    }
    assert.equal((await post(`${world.server.url}/batch/`, '')).body['detail'], 'The body is empty.');
  });

  it('may be a form, base64 or lz64 only of four mebibytes', async () => {
    const answer = await post(`${world.server.url}/batch/`, inflatingForm(5 * 1024 * 1024));
    assert.deepEqual([answer.status, answer.body['code']], [413, 'payload_too_large']);
    assert.equal((await post(`${world.server.url}/batch/`, inflatingForm(4 * 1024 * 1024))).status, 400);
  });

  it('is answered for other methods with 405, for HEAD with nothing, and for OPTIONS with what browsers ask', async () => {
    const head = await fetch(`${world.server.url}/e/?data=${encodeURIComponent(JSON.stringify(withKey()))}`, {
      method: 'HEAD',
    });
    assert.deepEqual([head.status, await head.text(), await stored()], [200, '', 0]);
    const answer = await fetch(`${world.server.url}/e/`, { method: 'PUT', body: '{}' });
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD, POST, OPTIONS']);
    const preflight = await fetch(`${world.server.url}/e/`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Headers': 'content-type' },
    });
    assert.deepEqual([preflight.status, await preflight.json()], [200, { status: 1 }]);
    assert.equal(preflight.headers.get('access-control-allow-credentials'), 'true');
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, POST, OPTIONS, HEAD');
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example');
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'content-type');
    const sent = await post(`${world.server.url}/e/`, withKey(), { Origin: 'https://shop.example' });
    assert.equal(sent.headers.get('access-control-allow-origin'), 'https://shop.example');
    assert.equal(sent.headers.get('vary'), 'Origin');
  });
});
