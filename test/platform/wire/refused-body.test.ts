import assert from 'node:assert/strict';
import { createServer, request as clientRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { receiveBytes } from '../../../src/platform/wire/read-bytes.ts';

const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of buffers above `before` once they are below `limit`: buffers are freed some turns after their last use, and what is referenced never is. */
async function leastKept(before: number, limit: number): Promise<number> {
  let kept = Infinity;
  for (let turn = 0; turn < 1_000 && kept >= limit; turn++) {
    await setTimeout(20);
    collectGarbage();
    kept = Math.min(kept, process.memoryUsage().arrayBuffers - before);
  }
  return kept;
}

describe('a body that is refused while it is read', () => {
  it('keeps none of its bytes in memory while its request continues', async () => {
    const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
    let held = 0;
    const server = createServer((request) => {
      function hold(bytes: number): void {
        held += bytes;
        if (held > 32 * MIB) throw new Error('There is no room.');
      }
      receiveBytes(request, 64 * MIB, hold, (take) => {
        assert.throws(take, /no room/);
        refuse();
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const { port } = server.address() as AddressInfo;
    const client = clientRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 40 * MIB } });
    client.on('error', () => {});
    const piece = Buffer.alloc(MIB);
    for (let sent = 0; sent < 20; sent++) client.write(piece);
    await refused;
    const kept = await leastKept(before, 8 * MIB);
    client.destroy();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    assert.ok(held > 32 * MIB);
    assert.ok(kept < 8 * MIB, `${(kept / MIB).toFixed(1)} MiB are kept`);
  });
});
