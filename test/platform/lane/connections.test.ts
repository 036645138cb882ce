import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { startHttpServer, type HttpServer } from '../../../src/platform/http/server.ts';
import { WholeRequest, type Lane } from '../../../src/platform/lane/request.ts';
import { until } from '../../support/until.ts';

const PAUSE_MS = 15;
/** In a row and without news: one of them may be as long as the machine is busy, and what came meanwhile is read in the next. */
const QUIET_TURNS = 16;
const TURN_MS = 5;
const HUGE = JSON.stringify('x'.repeat(16 * 1024 * 1024));

/** A plain request, whose body is what the answer will say. */
function requestText(body: string, path = '/lane', fields: readonly string[] = []): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [`POST ${path} HTTP/1.1`, 'Host: x.example', length, ...fields, '', body].join('\r\n');
}

const bodiesIn = (text: string) => [...text.matchAll(/^"(.*)"/gm)].map(([, body]) => body);
const waysIn = (text: string) => [...text.matchAll(/^X-(?:Way|Kind): (.*)$/gm)].map(([, way]) => way);

describe('a connection in the lane', () => {
  let server: HttpServer;
  /** The requests that the lane was asked, in order. */
  let received: WholeRequest[];
  /** Answers of `/lane/slow` that are awaited. */
  let awaited: (() => void)[];
  let sockets: Socket[];
  const lane: Lane = (request, reply) => {
    assert.ok(request instanceof WholeRequest);
    if (!request.url.startsWith('/lane')) return false;
    received.push(request);
    const { url, bytes } = request;
    if (url === '/lane/slow') awaited.push(() => reply(200, JSON.stringify(String(bytes))));
    else if (url === '/lane/slow-and-huge') awaited.push(() => reply(200, HUGE));
    else if (url === '/lane/large') reply(200, JSON.stringify('x'.repeat(256 * 1024)));
    else if (url === '/lane/huge') reply(200, HUGE);
    else if (url === '/lane/empty') reply(204, undefined, { 'X-Kind': 'empty' });
    else reply(200, JSON.stringify(String(bytes)), { 'X-Kind': 'whole' });
    return true;
  };

  before(async () => {
    const arrival = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };
    server = await startHttpServer(
      {
        async listener(request, response) {
          const body = Buffer.concat(await request.toArray().catch(() => []));
          response.setHeader('X-Way', 'node:http').end(JSON.stringify(`${request.method} ${String(body)}`));
        },
        lane,
      },
      { host: '127.0.0.1', port: 0, arrival },
    );
  });
  beforeEach(() => {
    received = [];
    awaited = [];
    sockets = [];
  });
  afterEach(() => sockets.forEach((socket) => socket.destroy()));
  after(() => server.stop(0));

  function open(): Socket {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    return socket.setNoDelay(true).on('error', () => {});
  }

  /** Writes the pieces, each some time after the other. @returns what came back until nothing more did */
  async function readAnswer(pieces: readonly string[], socket = open()): Promise<string> {
    const chunks: Buffer[] = [];
    const keep = (chunk: Buffer) => void chunks.push(chunk);
    socket.on('data', keep);
    if (socket.connecting) await once(socket, 'connect');
    for (const piece of pieces) {
      // The server, in this process, accepts and reads in these turns, however late: pieces never arrive as one.
      for (let turns = 0; turns < 4; turns += 1) await turn();
      socket.write(piece);
      await sleep(PAUSE_MS);
    }
    for (let turns = 0, before = 0; turns < QUIET_TURNS && !socket.readableEnded; before = chunks.length) {
      await sleep(TURN_MS);
      turns = chunks.length === 0 || chunks.length !== before ? 0 : turns + 1;
    }
    socket.off('data', keep);
    return Buffer.concat(chunks)
      .toString()
      .replaceAll(/^Date: .*$/gm, 'Date: now');
  }
  it('is answered as node:http would answer', async () => {
    assert.equal(
      await readAnswer([requestText('grüße')]),
      [
        'HTTP/1.1 200 OK',
        'X-Kind: whole',
        'Content-Type: application/json',
        'X-Content-Type-Options: nosniff',
        'Content-Length: 9',
        'Date: now',
        'Connection: keep-alive',
        'Keep-Alive: timeout=5',
        '',
        '"grüße"',
      ].join('\r\n'),
    );
    assert.doesNotMatch(await readAnswer([requestText('', '/lane/empty')]), /Content-|\r\n\r\n./);
  });

  it('carries one request after the other', async () => {
    const socket = open();
    for (const body of ['a', 'bb', 'a'])
      assert.deepEqual(bodiesIn(await readAnswer([requestText(body)], socket)), [body]);
    assert.deepEqual(received.length, 3);
  });

  it('waits for a body that comes after its head', async () => {
    const request = requestText('two pieces');
    assert.deepEqual(waysIn(await readAnswer([request.slice(0, -10), request.slice(-10)])), ['whole']);
  });

  const others: [what: string, pieces: string[], bodies: string[]][] = [
    ['a request for somebody else', [requestText('b', '/other')], ['POST b']],
    ['one whose head comes in pieces', [requestText('b').slice(0, 20), requestText('b').slice(20)], ['POST b']],
    ['one whose body comes in more pieces', [requestText('bbb').slice(0, -3), 'b', 'b', 'b'], ['POST bbb']],
    [
      'one in chunks',
      ['POST /lane HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n'],
      ['POST b'],
    ],
    ['one that asks whether it may go on', [requestText('', '/lane', ['Expect: 100-continue'])], ['POST ']],
    ['one by another method', ['GET /lane HTTP/1.1\r\nHost: x\r\n\r\n'], ['GET ']],
    ['one of an older version', [requestText('b').replace('1.1', '1.0')], ['POST b']],
    ['one that is its last', [requestText('b', '/lane', ['Connection: close'])], ['POST b']],
    ['a large one', [requestText('b'.repeat(70_000))], [`POST ${'b'.repeat(70_000)}`]],
    ['two at once', [requestText('a') + requestText('b')], ['POST a', 'POST b']],
  ];
  for (const [what, pieces, bodies] of others) {
    it(`gives ${what} to node:http, and all that follows`, async () => {
      const socket = open();
      assert.deepEqual(bodiesIn(await readAnswer([requestText('first')], socket)), ['first']);
      const text = await readAnswer([...pieces, requestText('last')], socket);
      assert.deepEqual(
        waysIn(text),
        Array(text.includes('"POST last"') ? bodies.length + 1 : bodies.length).fill('node:http'),
      );
      assert.deepEqual(bodiesIn(text).slice(0, bodies.length), bodies);
      assert.equal(received.filter(({ url }) => url === '/lane').length, 1);
    });
  }

  it('leaves what is no request to node:http, which refuses it', async () => {
    for (const nonsense of ['\x16\x03\x01', 'POST /lane HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nb']) {
      assert.match(await readAnswer([nonsense, '\r\n\r\n']), /^HTTP\/1.1 400 Bad Request/);
    }
  });

  for (const path of ['/lane', '/other']) {
    it(`has requests for ${path} wait for the answers to those before, in their order`, async () => {
      const socket = open();
      const later = ['two', 'three', 'four'].map((body) => requestText(body, path));
      const all = readAnswer([requestText('one', '/lane/slow'), ...later, requestText('five', '/other')], socket);
      await until('the first', () => received.length > 0);
      await sleep(120);
      assert.equal(received.length, 1);
      awaited[0]!();
      assert.deepEqual(bodiesIn((await all).replaceAll('POST ', '')), ['one', 'two', 'three', 'four', 'five']);
    });
  }

  it('is answered when its client says no more', async () => {
    const socket = open();
    socket.end(requestText('last words', '/lane/slow'));
    const text = readAnswer([], socket);
    await until('the request', () => awaited.length > 0);
    await sleep(50);
    awaited[0]!();
    assert.deepEqual(bodiesIn(await text), ['last words']);
    assert.match(await text, /Connection: close/);
  });

  it('answers a client that stops in the middle of its request', async () => {
    const socket = open();
    socket.end(requestText('unfinished').slice(0, -1));
    assert.match(await readAnswer([], socket), /^HTTP\/1.1 400 Bad Request\r\n(.*\r\n)*Connection: close/);
    assert.equal(received.length, 0);
  });

  it('ends with its client, once that has read everything', async () => {
    const socket = open().pause();
    socket.write(requestText('', '/lane/huge'));
    await until('the request', () => received.length > 0);
    socket.end();
    await sleep(50);
    const startedMs = performance.now();
    await once(socket.resume(), 'end');
    // Idle connections are closed after six seconds.
    assert.ok(performance.now() - startedMs < 5_500);
  });

  it('takes no more from who does not read', async () => {
    const socket = open().pause();
    // Each request is written after the one before was taken: two that arrive at once are node:http’s.
    for (let taken = 0; taken === received.length && taken < 100; taken += 1) {
      socket.write(requestText('', '/lane/large'));
      if (taken === 0) await until('the first', () => received.length > 0);
      for (let turns = 0; received.length === taken && turns < 100; turns += 1) await sleep(TURN_MS);
    }
    assert.ok(received.length < 100, `${received.length} answers of 256 KB are under way`);
  });

  it('waits for no more of a body when many do already, until those are gone', async () => {
    const request = requestText('b'.repeat(60_000));
    const pieces = [request.slice(0, -1), request.slice(-1)] as const;
    // On a connection that was answered before the lane waits for seconds, and on a new one for a moment only.
    const opened = Array.from({ length: 300 }, async () => {
      const socket = open();
      socket.write(requestText('first'));
      await once(socket, 'data');
      await new Promise((written) => socket.write(pieces[0], written));
      return socket;
    });
    const others = await Promise.all(opened);
    assert.deepEqual(waysIn(await readAnswer(pieces)), ['node:http']);
    for (const socket of others) socket.destroy();
    await until('room', async () => waysIn(await readAnswer(pieces)).join() === 'whole');
  });

  it('breaks without harm', async () => {
    const socket = open();
    socket.write(requestText('nobody', '/lane/slow'));
    await until('the request', () => awaited.length > 0);
    socket.resetAndDestroy();
    await sleep(50);
    awaited[0]!();
    assert.deepEqual(bodiesIn(await readAnswer([requestText('others')])), ['others']);
  });

  it('that is silent, or stops in the middle, is answered by node:http', async () => {
    const silent = ['', requestText('never').slice(0, 20), requestText('never').slice(0, -2)].map(async (text) => {
      const socket = open();
      if (text) socket.write(text);
      const [readAnswer] = (await once(socket, 'data')) as [Buffer];
      return String(readAnswer).split('\r\n')[0];
    });
    assert.deepEqual(await Promise.all(silent), Array(3).fill('HTTP/1.1 408 Request Timeout'));
  });

  it('gives its client’s address, and its headers as lists', async () => {
    await readAnswer([requestText('', '/lane', ['X-Forwarded-For: 203.0.113.7'])]);
    assert.equal(received[0]!.socket.remoteAddress, '127.0.0.1');
    assert.deepEqual(received[0]!.headersDistinct['x-forwarded-for'], ['203.0.113.7']);
  });

  it('is closed when nothing more arrives, and when an answer is not read, for six seconds', async () => {
    open().write(requestText('idle'));
    await until('the first', () => received.length === 1);
    open().pause().end(requestText('never read', '/lane/slow-and-huge'));
    await until('the second', () => awaited.length > 0);
    await sleep(50);
    awaited[0]!();
    await sleep(50);
    assert.equal(received.length, 2);
    for (const { socket } of received) {
      assert.equal(socket.timeout, 6_000);
      const closed = once(socket, 'close');
      // As the socket does after that time.
      socket.emit('timeout');
      await closed;
    }
  });

  it('ends with the server: what is under way is answered first, and what is still arriving', async () => {
    const idle = open();
    await readAnswer([requestText('idle')], idle);
    const busy = open();
    const text = readAnswer([requestText('busy', '/lane/slow')], busy);
    const arriving = open();
    arriving.write(requestText('arriving').slice(0, -1));
    await until('the request', () => awaited.length > 0);
    await sleep(50);
    const ended = Promise.all([idle, busy, arriving].map((socket) => once(socket, 'end')));
    const stopped = server.stop(5_000);
    await sleep(400);
    awaited[0]!();
    const rest = readAnswer([requestText('arriving').slice(-1)], arriving);
    for (const socket of [idle, busy, arriving]) socket.resume().on('end', () => socket.end());
    assert.deepEqual(bodiesIn(await text), ['busy']);
    assert.match(await text, /Connection: close/);
    assert.deepEqual(bodiesIn(await rest), ['arriving']);
    await ended;
    await stopped;
  });
});
