import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { replyThrough } from '../../../src/platform/http/raw-answers.ts';
import { startHttpServer, type HttpServer } from '../../../src/platform/http/server.ts';
import { WholeRequest, type Lane, type LaneRequest, type Reply } from '../../../src/platform/lane/request.ts';
import { receiveBytes } from '../../../src/platform/wire/read-bytes.ts';

const MAX_BODY_BYTES = 100_000;

/** Answers with what it understood. */
function tell(request: LaneRequest, reply: Reply): void {
  const { method, url } = request;
  // The length is that of the body that is read.
  const { 'content-length': _, ...headers } = request.headers;
  receiveBytes(
    request,
    MAX_BODY_BYTES,
    () => {},
    (take) => {
      const answer = () => {
        try {
          reply(200, JSON.stringify({ method, url, headers, body: take().toString('latin1') }));
        } catch {
          reply(413, JSON.stringify('too large'));
        }
      };
      if (url?.startsWith('/lane/late')) setTimeout(answer, 2);
      else answer();
    },
  );
}

const lane: Lane = (request, reply) => {
  if (!request.url?.startsWith('/lane')) return false;
  if (request instanceof WholeRequest) inLane += 1;
  tell(request, reply);
  return true;
};
let inLane = 0;

async function listener(request: IncomingMessage, response: ServerResponse): Promise<void> {
  tell(request, replyThrough(request, response));
}

const fields = fc.constantFrom(
  'X-A: 1',
  'X-A:\t2 ',
  'x-a: 3',
  'X-Forwarded-For: 1.1.1.1',
  'Origin: https://x.example',
  'Cookie: a=1; b=2',
  'Accept: */*',
  'constructor: y',
  'X-Empty:',
  'Connection: Keep-Alive',
  'X-High: \xe4\xff',
  'User-Agent: sdk/1',
);
const bodies = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom('{', '\r\n', 'POST / HTTP/1.1', 'a', '\0', '\xe4'), maxLength: 6 }),
  },
  { weight: 1, arbitrary: fc.constantFrom(65_300, 65_536, 70_000, 100_001).map((length) => 'x'.repeat(length)) },
);
const targets = fc.constantFrom('/lane', '/lane', '/lane/late', '/other', '/lane?a=%20#"<>');
const plain = fc
  .tuple(targets, fc.uniqueArray(fields, { maxLength: 3 }), bodies)
  .map(([target, more, body]) =>
    [`POST ${target} HTTP/1.1`, 'Host: x.example', `Content-Length: ${body.length}`, ...more, '', body].join('\r\n'),
  );
const odd: fc.Arbitrary<string> = fc.constantFrom(
  'GET /lane HTTP/1.1\r\nHost: x\r\n\r\n',
  'HEAD /lane HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  '\r\nPOST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab',
  'POST /lane HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 02\r\nExpect: 100-continue\r\n\r\nab',
  `POST /lane HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(8_180)}\r\nContent-Length: 2\r\n\r\nab`,
);
const last: fc.Arbitrary<string> = fc.constantFrom(
  'GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab',
  'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nProxy-Connection: close\r\n\r\nab',
  'POST /lane HTTP/1.0\r\nContent-Length: 2\r\n\r\nab',
  'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab',
  'POST /lane HTTP/1.1\r\nContent-Length: 2\r\n\r\nab',
  'POST /lane HTTP/1.1\r\nHost: x\r\nX Y: 1\r\nContent-Length: 2\r\n\r\nab',
  'POST /lane HTTP/1.1\r\nHost: x\nContent-Length: 2\r\n\r\nab',
  `POST /lane HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`,
  'nonsense\r\n\r\n',
);

/** A request: whether the answers to those before are waited for, and where it is cut in two. */
type Sent = { text: string; waits: boolean; cut: (text: string) => number };
const mostly = (value: boolean) => fc.constantFrom(...Array<boolean>(9).fill(value), !value);
const cut: fc.Arbitrary<Sent['cut']> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(() => 0) },
  { weight: 1, arbitrary: fc.constant((text: string) => text.indexOf('\r\n\r\n') + 5) },
  { weight: 1, arbitrary: fc.nat(99).map((percent) => (text: string) => Math.round((text.length * percent) / 100)) },
);
const sent = (text: fc.Arbitrary<string>): fc.Arbitrary<Sent> => fc.record({ text, waits: mostly(true), cut });
const requests = fc.array(sent(fc.oneof({ weight: 12, arbitrary: plain }, { weight: 1, arbitrary: odd })), {
  maxLength: 5,
});
/** A broken request breaks the answers to the requests before it, too. */
const end = sent(last).map((request) => ({ ...request, waits: true }));

/** @returns what was answered until the connection was closed */
async function talk({ port }: HttpServer, conversation: readonly Sent[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
    .setNoDelay(true)
    .on('error', () => {});
  let answered = '';
  socket.setEncoding('latin1').on('data', (text: string) => (answered += text));
  for (const [before, { text, waits, cut }] of conversation.entries()) {
    const awaited = waits ? before : 0;
    while (answersIn(answered) < awaited && !socket.destroyed) await turn();
    const half = cut(text);
    socket.write(text.slice(0, half), 'latin1');
    if (half > 0) await sleep(1);
    socket.write(text.slice(half), 'latin1');
  }
  if (!socket.closed) await once(socket, 'close');
  return answered.replaceAll(/^Date: .*$/gm, 'Date: now');
}

const answersIn = (text: string) => text.match(/HTTP\/1\.1 [2-5]\d\d /g)?.length ?? 0;

describe('a server with a lane', () => {
  const servers: HttpServer[] = [];
  before(async () => {
    const here = { host: '127.0.0.1', port: 0 };
    servers.push(await startHttpServer({ listener, lane }, here), await startHttpServer({ listener }, here));
  });
  after(() => Promise.all(servers.map((server) => server.stop(0))));

  it('answers as one without, however bytes arrive', async () => {
    const [withLane, without] = servers as [HttpServer, HttpServer];
    await fc.assert(
      fc.asyncProperty(requests, end, async (before, final) => {
        const conversation = [...before, final];
        const [given, expected] = await Promise.all([talk(withLane, conversation), talk(without, conversation)]);
        assert.equal(given, expected);
      }),
      { numRuns: 200, seed: 20261121 },
    );
    assert.ok(inLane > 60, `${inLane} requests were answered in the lane`);
  });
});
