/** The client of an import, at servers that ask it to wait. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiClient } from '../../../src/flags/import/api-client.ts';

const PAST = 'Sun, 06 Nov 1994 08:49:37 GMT';

/** A server that gives one answer after the other, and the last one for ever. */
async function serverOf(...answers: { status: number; after?: string }[]) {
  let requestCount = 0;
  const server = createServer((_, response) => {
    const { status, after } = answers[Math.min(requestCount, answers.length - 1)]!;
    requestCount += 1;
    response.writeHead(status, { 'Content-Type': 'application/json', ...(after && { 'Retry-After': after }) });
    response.end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => requestCount,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => void server.close(() => closed())),
  };
}

function clientOf(url: string, throttledAtMostMs?: number) {
  const waits: string[] = [];
  const client = apiClient({
    url,
    project: '1',
    key: 'phx_key',
    keyName: 'SLUICE_API_KEY',
    retry: { firstDelayMs: 1000, maxDelayMs: 10_000, giveUpAfterMs: 1200 },
    ...(throttledAtMostMs !== undefined && { maxThrottledMs: throttledAtMostMs }),
    onWait: (reason) => waits.push(reason),
  });
  return { list: () => Array.fromAsync(client.list('feature_flags/')), waits };
}

describe('the client of an import', () => {
  for (const after of ['0', PAST]) {
    it(`waits a second, and then longer, where Retry-After is ${after}`, async () => {
      const throttled = { status: 429, after };
      await using server = await serverOf(throttled, throttled, { status: 200 });
      const { list, waits } = clientOf(server.url);
      assert.deepEqual(await list(), []);
      assert.deepEqual(
        waits,
        [1, 2].map((seconds) => `it accepts no requests with this key for the next ${seconds} s`),
      );
    });
  }

  it('gives up a server that answers nothing but 429', async () => {
    await using server = await serverOf({ status: 429, after: '0' }, { status: 429, after: '0' }, { status: 200 });
    await assert.rejects(clientOf(server.url, 500).list(), {
      name: 'CommandFailed',
      message: /has answered nothing but 429 \(too many requests\) for 0 minutes\. Run the command again later/,
    });
    assert.equal(server.asked(), 2);
  });

  it('repeats a failed request no faster without Retry-After', async () => {
    await using server = await serverOf({ status: 503, after: '0' });
    await assert.rejects(clientOf(server.url).list(), /answers 503\. Run the command again/);
    assert.ok(server.asked() < 5, `${server.asked()} requests`);
  });
});
