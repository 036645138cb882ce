/** All that answers without the routes' envelope, asked on the fast path, beside it, and with it off: one answer. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { startHttpServer, type HttpServer } from '../../../src/platform/http/server.ts';
import { buildFlagFor } from '../../support/flags/decide.ts';
import { waitUntilServerUsesRows } from '../../support/database/flag-rows.ts';
import { startSharedWorld, type SharedWorld } from '../../support/servers/shared-world.ts';
import { startSluice } from '../../support/servers/sluice.ts';
import { buildTenant } from '../../support/api/identity.ts';

const UUID = '0193a5d2-7b4e-7c21-9d3e-2f6a8b9c0d1e';
/** A name that is there twice makes a request one for `node:http`, and changes nothing else. */
const TWICE = ['X-Twice: 1', 'X-Twice: 2'];
const HERE = { host: '127.0.0.1', port: 0 };
const CODEC = { token: 'a-token-that-nobody-guesses', origin: 'http://ui.example' };

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const NOTHING = Buffer.alloc(0);
const PAGE = ['Origin: https://shop.example', 'Content-Type: text/plain'];
const FORM = ['Content-Type: application/x-www-form-urlencoded'];
const PREFLIGHT = [
  'Origin: https://shop.example',
  'Access-Control-Request-Method: POST',
  'Access-Control-Request-Headers: authorization, x-custom',
];

/** Without a body: no length is sent, or the one among the fields. */
type Asked = { method: string; path: string; fields: readonly string[]; body?: Buffer | undefined };

/** @returns the whole answer, byte by byte, but for what differs from one moment to the next */
async function readWholeAnswer(port: number, { method, path, fields, body }: Asked): Promise<string> {
  const length = body ? [`Content-Length: ${body.length}`] : [];
  const head = [`${method} ${path} HTTP/1.1`, 'Host: x.example', ...length, ...fields, '', ''];
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(Buffer.concat([Buffer.from(head.join('\r\n')), body ?? NOTHING]));
  let answer = '';
  for await (const chunk of socket.setEncoding('latin1')) {
    answer += chunk;
    if (isWhole(answer, method)) break;
  }
  assert(isWhole(answer, method), `${method} ${path} was answered ${answer.slice(0, 200)}`);
  return answer
    .replace(/^Date: .*$/m, 'Date: now')
    .replace(/^X-Request-Id: .*$/m, 'X-Request-Id: one')
    .replace(/"evaluatedAt":\d+/, '"evaluatedAt":0');
}

function isWhole(answer: string, method: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const body = answer.length - end - 4;
  const length = /^Content-Length: (\d+)\r$/im.exec(answer.slice(0, end + 2))?.[1];
  if (method === 'HEAD' || / (204|304) /.test(answer.slice(0, 13))) return body === 0;
  if (/^Transfer-Encoding: chunked\r$/im.test(answer.slice(0, end + 2))) return answer.endsWith('\r\n0\r\n\r\n');
  return body === Number(length);
}

const OFREP = '/ofrep/v1/evaluate/flags';
const context = () => json({ context: { targetingKey: 'äöü' } });
const statusOf = (answer: string) => Number(answer.split(' ')[1]);

describe('the fast path', () => {
  let world: SharedWorld;
  let without: HttpServer;
  /** Of two dashboards; the second asks for a password. */
  let links: string[];

  before(async () => {
    world = await startSharedWorld({ codecFor: CODEC });
    without = await startHttpServer(world.sluice.application, { ...HERE, fastPath: false });
    const { sluice, ours } = world;
    await buildFlagFor(sluice.db, ours.projectId, 'new-basket', {}, { payload: '"blue"' });
    await buildFlagFor(sluice.db, ours.projectId, 'for-ada', { email: 'ada@example.com' });
    await waitUntilServerUsesRows(sluice, ours);
    const [open, locked] = [await world.buildDashboard(), await world.buildDashboard()];
    links = [await world.share(open), await world.share(locked)];
    const { status } = await world.request('PATCH', `/dashboards/${locked}/sharing/`, {
      settings: {},
      password_required: true,
    });
    assert.equal(status, 200);
  });
  after(async () => {
    await without.stop(0);
    await world.stop();
  });

  const token = () => world.ours.apiToken;
  const event = () => ({ api_key: token(), event: 'asked', distinct_id: 'äöü' });
  const asking = () => ({ token: token(), distinct_id: 'äöü' });
  const bearer = () => `Authorization: Bearer ${token()}`;

  /** Answered on the connection. */
  const onFastPath: [what: string, status: number, path: () => string, fields: () => string[], body: () => Buffer][] = [
    ...['/capture/', '/e', '/track/', '/engage/', '/batch', '/i/v0/e/', '/i/v0/ai/batch/'].map(
      (path): (typeof onFastPath)[number] => [`an event for ${path}`, 200, () => path, () => [], () => json(event())],
    ),
    [
      'a batch for /i/v1/analytics/events',
      200,
      () => '/i/v1/analytics/events',
      () => [bearer()],
      () =>
        json({
          created_at: new Date().toISOString(),
          batch: [{ uuid: UUID, event: 'a', distinct_id: 'b', timestamp: new Date().toISOString() }],
        }),
    ],
    [
      'a report of a browser',
      204,
      () => `/report/?token=${token()}`,
      () => ['Content-Type: application/csp-report'],
      () => json({ 'csp-report': { 'document-uri': 'https://x.example/', 'effective-directive': 'img-src' } }),
    ],
    ['a recording of a session', 200, () => '/s/', () => [], () => json({ ...event(), event: '$snapshot' })],
    ['an event in gzip', 200, () => '/capture/', () => ['Content-Encoding: gzip'], () => gzipSync(json(event()))],
    ['an event in brotli', 200, () => '/e/', () => ['Content-Encoding: br'], () => brotliCompressSync(json(event()))],
    [
      'an event in base64, in a form',
      200,
      () => '/track',
      () => FORM,
      () => Buffer.from(`data=${encodeURIComponent(json(event()).toString('base64'))}`),
    ],
    ['a beacon of a page', 204, () => '/e/?beacon=1', () => PAGE, () => json(event())],
    [
      'a batch with a bad event',
      200,
      () => '/batch/',
      () => [],
      () => json({ api_key: token(), batch: [event(), { event: 'ü' }] }),
    ],
    ['events without a key', 401, () => '/batch/', () => PAGE, () => json([{ event: 'a', distinct_id: 'b' }])],
    ['an unknown key', 401, () => '/e/', () => [], () => json({ ...event(), api_key: 'phc_nobody' })],
    ['an empty body', 400, () => '/e/', () => PAGE, () => NOTHING],
    ['nonsense', 400, () => '/e/', () => [], () => Buffer.from('{"event":')],
    ['a broken gzip', 400, () => '/e/', () => [], () => gzipSync(json(event())).subarray(0, 30)],
    ['an unknown encoding', 415, () => '/e/', () => ['Content-Encoding: compress'], () => json(event())],
    ['a form in parts', 415, () => '/e/', () => ['Content-Type: multipart/form-data'], () => json(event())],
    ['gzip that is too large inside', 413, () => '/e/', () => [], () => gzipSync(Buffer.alloc(21 * 1024 * 1024, ' '))],
    ...[
      '/flags/',
      '/flags?v=1',
      '/flags/?v=2',
      '/flags/?v=2&config=true',
      '/flags/?detailed_analysis=true',
      '/decide/',
      '/decide?v=1',
      '/decide/?v=2',
      '/decide/?v=3',
      '/decide/?v=4',
    ].map((path): (typeof onFastPath)[number] => [
      `a question for ${path}`,
      200,
      () => path,
      () => PAGE,
      () => json(asking()),
    ]),
    ['a question in gzip', 200, () => '/flags?v=2', () => ['Content-Encoding: gzip'], () => gzipSync(json(asking()))],
    ['the question of a bot', 200, () => '/flags/?v=2', () => ['User-Agent: Googlebot/2.1'], () => json(asking())],
    ['an unknown key', 401, () => '/flags/?v=2', () => PAGE, () => json({ ...asking(), token: 'phc_nobody' })],
    ['a question without a person', 400, () => '/decide/?v=3', () => [], () => json({ token: token() })],
    ['a question that is no JSON', 400, () => '/flags/?v=2', () => PAGE, () => Buffer.from('{')],
  ];

  /** Handed over to `node:http`. */
  const beside: [
    what: string,
    status: number,
    method: string,
    path: () => string,
    fields?: () => string[],
    body?: () => Buffer,
  ][] = [
    [
      'an event in the query',
      200,
      'GET',
      () => `/e/?data=${encodeURIComponent(json(event()).toString('base64'))}`,
      () => PAGE,
    ],
    ['HEAD of capture', 200, 'HEAD', () => '/capture/'],
    ['PUT of capture', 405, 'PUT', () => '/batch/', () => PAGE, () => json(event())],
    ['what a page asks before it captures', 200, 'OPTIONS', () => '/batch/', () => PREFLIGHT],
    [
      'a large batch',
      200,
      'POST',
      () => '/batch/',
      () => [],
      () => json({ api_key: token(), batch: Array.from({ length: 1_000 }, event) }),
    ],
    ['a body that is too large', 413, 'POST', () => '/batch/', () => PAGE, () => Buffer.alloc(21 * 1024 * 1024, ' ')],
    ['a body that will be too large', 413, 'POST', () => '/batch/', () => [`Content-Length: ${50 * 1024 * 1024}`]],
    [
      'an event in chunks',
      200,
      'POST',
      () => '/e/',
      () => ['Transfer-Encoding: chunked', '', json(event()).length.toString(16), String(json(event())), '0'],
    ],
    ['GET of flags', 200, 'GET', () => '/flags/?v=2', () => PAGE],
    ['HEAD of flags', 200, 'HEAD', () => '/flags/?v=2'],
    ['DELETE of flags', 405, 'DELETE', () => '/flags/'],
    ['GET of decide', 405, 'GET', () => '/decide/?v=3'],
    ['what a page asks before it asks for flags', 204, 'OPTIONS', () => '/flags/?v=2', () => PREFLIGHT],
    ['one flag, by OFREP', 200, 'POST', () => `${OFREP}/new-basket`, () => [bearer(), ...PAGE], context],
    ['an unknown flag, by OFREP', 404, 'POST', () => `${OFREP}/none`, () => [bearer()], context],
    ['all flags, by OFREP', 200, 'POST', () => `${OFREP}/`, () => [bearer()], context],
    ['OFREP without a key', 401, 'POST', () => OFREP, () => PAGE, context],
    ['OFREP without JSON', 400, 'POST', () => OFREP, () => [bearer()], () => Buffer.from('{')],
    ['OFREP by GET', 405, 'GET', () => OFREP],
    ['what a page asks before OFREP', 204, 'OPTIONS', () => OFREP, () => PREFLIGHT],
    ['a stream of changes without its token', 401, 'GET', () => '/ofrep/v1/event-stream/', () => PAGE],
    ['a configuration', 200, 'GET', () => `/array/${token()}/config`, () => PAGE],
    ['a configuration as a script', 200, 'GET', () => `/array/${token()}/config.js`],
    ['posthog-js, configured', 200, 'GET', () => `/array/${token()}/array.js`, () => ['Accept-Encoding: gzip']],
    ['HEAD of posthog-js', 200, 'HEAD', () => '/static/array.js'],
    ['an unknown script', 404, 'GET', () => '/static/none.js'],
    ['a configuration for an unknown key', 404, 'GET', () => '/array/phc_nobody/config'],
    ['what a page asks before a configuration', 204, 'OPTIONS', () => `/array/${token()}/config`, () => PREFLIGHT],
    ['a shared page', 200, 'GET', () => `/shared/${links[0]}`],
    ['a shared page as JSON', 200, 'GET', () => `/shared/${links[0]}.json`],
    ['an embedded page', 200, 'GET', () => `/embedded/${links[0]}`],
    ['HEAD of a shared page', 200, 'HEAD', () => `/shared/${links[0]}`],
    ['DELETE of a shared page', 405, 'DELETE', () => `/shared/${links[0]}`],
    ['a shared page that is locked', 200, 'GET', () => `/shared/${links[1]}`],
    ['a wrong password', 401, 'POST', () => `/shared/${links[1]}`, () => FORM, () => Buffer.from('password=none')],
    ['a link that is none', 404, 'GET', () => '/shared/none'],
    ['payloads', 200, 'POST', () => `/_codec/${CODEC.token}/decode`, () => [], () => json({ payloads: [] })],
    ['payloads that are none', 400, 'POST', () => `/_codec/${CODEC.token}/decode`, () => [], () => Buffer.from('{')],
    ['what Temporal’s UI asks before', 204, 'OPTIONS', () => `/_codec/${CODEC.token}/decode`, () => PREFLIGHT],
    ['payloads, without the token', 404, 'POST', () => '/_codec/none/decode', () => [], () => json({ payloads: [] })],
    ['a route', 200, 'GET', () => '/_livez/'],
    ['a route without a key', 401, 'POST', () => '/api/projects/1/feature_flags/', () => PAGE, () => json({})],
    ['an unknown path', 404, 'POST', () => '/none', () => PAGE, () => json({})],
    ['an unknown path by GET', 404, 'GET', () => '/'],
  ];

  /** The answers of a server with the fast path, to the request as it is and to one that cannot take it, and of one without. */
  async function readAllAnswers(rawRequest: Asked): Promise<string[]> {
    const port = Number(new URL(world.sluice.url).port);
    const given = { ...rawRequest, fields: [`X-Request-Id: ${UUID}`, ...rawRequest.fields] };
    return [
      await readWholeAnswer(port, given),
      await readWholeAnswer(port, { ...given, fields: [...TWICE, ...given.fields] }),
      await readWholeAnswer(without.port, given),
    ];
  }

  const ways = () => world.sluice.answered.splice(0).map(({ inLane }) => inLane);

  for (const [what, status, path, fields, body] of onFastPath) {
    it(`answers ${what} with ${status}, as the application does`, async () => {
      ways();
      const [fast, handedOver, off] = await readAllAnswers({
        method: 'POST',
        path: path(),
        fields: fields(),
        body: body(),
      });
      assert.equal(fast, off);
      assert.equal(handedOver, off);
      assert.equal(statusOf(off!), status);
      assert.deepEqual(ways(), [true, false]);
    });
  }

  for (const [what, status, method, path, fields = () => [], body] of beside) {
    it(`leaves ${what} to the application, which answers ${status}`, async () => {
      ways();
      const [first, second, off] = await readAllAnswers({ method, path: path(), fields: fields(), body: body?.() });
      assert.equal(first, off);
      assert.equal(second, off);
      assert.equal(statusOf(off!), status);
      assert.deepEqual(ways(), [false, false]);
    });
  }
});

describe('too many questions', () => {
  it('are refused on the fast path as beside it', async () => {
    const sluice = await startSluice({ flagRequestsPerSecond: 4 });
    try {
      const port = Number(new URL(sluice.url).port);
      const body = json({ token: (await buildTenant(sluice.db)).apiToken, distinct_id: 'äöü' });
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => {
          const fields = n % 2 === 0 ? PAGE : [...PAGE, ...TWICE];
          return readWholeAnswer(port, { method: 'POST', path: '/flags/?v=2', fields, body });
        }),
      );
      const refusals = [0, 1].map((way) =>
        answers.find((text, n) => n % 2 === way && text.startsWith('HTTP/1.1 429 Too Many Requests')),
      );
      assert.ok(refusals[0]);
      assert.equal(refusals[0], refusals[1]);
    } finally {
      await sluice.stop();
    }
  });
});
