import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { streamOf, sendTo } from '../../support/events/sending.ts';

type Body = { api_key: string; historical_migration: boolean; batch: { uuid: string; event: string }[] };
type Answer = { status: number; headers?: Record<string, string>; body?: unknown } | 'hang up';

/** A server that answers with the result of `answer`, and keeps the bodies of requests that it answered with 200. */
async function startPeer(answer: (body: Body, call: number) => Answer = () => ({ status: 200 })) {
  const accepted: Body[] = [];
  let calls = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    assert.equal(request.url, '/batch/');
    const body = (await json(request.pipe(createGunzip()))) as Body;
    const reply = answer(body, ++calls);
    if (reply === 'hang up') return void request.socket.destroy();
    if (reply.status === 200) accepted.push(body);
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.body ?? { status: 1 }));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => (server.closeAllConnections(), new Promise((closed) => server.close(closed)));
  return { url, accepted, stop, events: () => accepted.flatMap((body) => body.batch) };
}

type Peer = Awaited<ReturnType<typeof startPeer>>;

const events = (count: number) =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ event: `e${index}`, distinct_id: 'd' })).join('\n');

describe('sending a file', () => {
  let peer: Peer | undefined;
  afterEach(async () => {
    await peer?.stop();
    peer = undefined;
  });

  it('delivers every line once, in batches with the key and the historical mark', async () => {
    peer = await startPeer();
    const summary = await sendTo(peer, streamOf(events(25)));
    assert.deepEqual(summary, { lines: 25, sent: 25, batches: 3, badLines: 0, firstBadLines: [], retries: 0 });
    assert.deepEqual(new Set(peer.accepted.map((body) => body.batch.length)), new Set([10, 5]));
    assert.ok(peer.accepted.every((body) => body.api_key === 'phc_test' && body.historical_migration));
    assert.equal(new Set(peer.events().map((event) => event.uuid)).size, 25);
  });

  it('makes the same uuids again when the file is sent again', async () => {
    peer = await startPeer();
    await sendTo(peer, streamOf(events(30)));
    await sendTo(peer, streamOf(events(30)), { perBatch: 7 });
    assert.equal(peer.events().length, 60);
    assert.equal(new Set(peer.events().map((event) => event.uuid)).size, 30);
  });

  it('sends a batch again after no answer, 429 and 5xx', async () => {
    const answers: Answer[] = ['hang up', { status: 503 }, { status: 429, headers: { 'retry-after': '0' } }];
    peer = await startPeer((_, call) => answers[call - 1] ?? { status: 200 });
    const retry = { firstDelayMs: 5, maxDelayMs: 50, giveUpAfterMs: 30_000 };
    const summary = await sendTo(peer, streamOf(events(5)), { retry });
    assert.equal(summary.sent, 5);
    assert.equal(summary.retries, 3);
    assert.equal(peer.events().length, 5);
  });

  it('waits for the time in Retry-After, within its own limit', async () => {
    peer = await startPeer((_, call) =>
      call === 1 ? { status: 429, headers: { 'retry-after': '60' } } : { status: 200 },
    );
    const started = performance.now();
    await sendTo(peer, streamOf(events(1)));
    const waited = performance.now() - started;
    assert.ok(waited >= 49 && waited < 30_000, `${waited} ms`);
  });

  it('waits longer each time where Retry-After is zero', async () => {
    peer = await startPeer((_, call) =>
      call < 4 ? { status: 503, headers: { 'retry-after': '0' } } : { status: 200 },
    );
    const retry = { firstDelayMs: 40, maxDelayMs: 1_000, giveUpAfterMs: 10_000 };
    const started = performance.now();
    await sendTo(peer, streamOf(events(1)), { retry });
    // Delays of 40, 80 and 160 ms, each shortened by up to half; timers may be early by a millisecond.
    assert.ok(performance.now() - started >= 137);
  });

  it('reports bad lines with their numbers and sends the others', async () => {
    peer = await startPeer();
    const summary = await sendTo(
      peer,
      streamOf('{"event":"a","distinct_id":"d"}\n\nnonsense\n{"event":"b","distinct_id":"d"}\n'),
    );
    assert.equal(summary.lines, 3);
    assert.equal(summary.sent, 2);
    assert.deepEqual(summary.firstBadLines, [{ line: 3, reason: 'not valid JSON' }]);
  });

  it('halves a batch that the server refuses until the invalid line is alone', async () => {
    const refusal = {
      status: 400,
      body: { type: 'validation_error', code: 'required', detail: 'e7 is wrong.', attr: null },
    };
    peer = await startPeer((body) => (body.batch.some(({ event }) => event === 'e7') ? refusal : { status: 200 }));
    const summary = await sendTo(peer, streamOf(events(10)));
    assert.equal(summary.sent, 9);
    assert.deepEqual(summary.firstBadLines, [{ line: 8, reason: 'e7 is wrong.' }]);
    assert.equal(peer.events().length, 9);
  });

  const failures: [string, Answer, RegExp][] = [
    [
      'a refused key',
      { status: 401, body: { detail: 'Invalid key.' } },
      /refused the key: Invalid key\. Give a project API key .* --key\..* dev\.json has the old one until the next start/,
    ],
    ['another kind of server', { status: 404 }, /does not take events \(404: .*--url/],
    ['a server that refuses without a reason', { status: 400 }, /does not take events \(400: .*--url/],
    ['a server that stays unavailable', { status: 503 }, /Send the file again later/],
  ];
  for (const [what, answer, message] of failures) {
    it(`stops at ${what} and explains what to do`, async () => {
      peer = await startPeer(() => answer);
      await assert.rejects(sendTo(peer, streamOf(events(100))), (error: Error) => {
        assert.ok(error instanceof CommandFailed);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it('reports at once that nothing listens', async () => {
    const gone = await startPeer();
    await gone.stop();
    await assert.rejects(sendTo(gone, streamOf(events(1))), /No server answers at .*npm start/);
  });

  it('reads ahead of the server no more than the batches that are being sent', async () => {
    let taken = 0;
    peer = await startPeer((body) => ((taken += body.batch.length), { status: 200 }));
    const ahead: number[] = [];
    async function* long(): AsyncGenerator<Buffer> {
      for (let block = 0; block < 200; block += 1) {
        ahead.push(block * 50 - taken);
        yield Buffer.from(`${events(50)}\n`);
      }
    }
    const { sent } = await sendTo(peer, long(), { perBatch: 100 });
    assert.equal(sent, 10_000);
    assert.ok(Math.max(...ahead) <= 500, `read ${Math.max(...ahead)} events ahead`);
  });
});
