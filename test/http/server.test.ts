import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../../src/errors.ts';
import { startHttpServer } from '../../src/http/server.ts';

const HERE = { host: '127.0.0.1', port: 0 };

describe('an HTTP server', () => {
  it('finishes the request under way when it is stopped, and takes no more', async () => {
    const server = await startHttpServer(async (_request, response) => {
      await sleep(400);
      response.end('done');
    }, HERE);
    const underWay = fetch(server.url);
    await sleep(50);
    const stopped = server.stop(5_000);
    assert.equal(await (await underWay).text(), 'done');
    await stopped;
    await assert.rejects(fetch(server.url));
  });

  it('asks clients that keep connections open to close them, so that stopping is quick', async () => {
    const server = await startHttpServer(async (_request, response) => void response.end(), HERE);
    assert.equal((await fetch(server.url)).headers.get('connection'), 'keep-alive');
    const startedAt = performance.now();
    const stopped = server.stop(5_000);
    assert.equal((await fetch(server.url)).headers.get('connection'), 'close');
    await stopped;
    assert(performance.now() - startedAt < 2_000);
  });

  it('cuts what is left after the grace', async () => {
    const server = await startHttpServer(() => new Promise(() => {}), HERE);
    const hanging = assert.rejects(fetch(server.url));
    await sleep(50);
    await server.stop(100);
    await hanging;
  });

  it('says what to do when its port is taken', async () => {
    const server = await startHttpServer(async () => {}, HERE);
    try {
      await assert.rejects(
        startHttpServer(async () => {}, { ...HERE, port: server.port }),
        (error: Error) => {
          assert(error instanceof CommandFailed);
          assert.match(error.message, new RegExp(`port ${server.port} .*SLUICE_PORT`));
          return true;
        },
      );
    } finally {
      await server.stop(100);
    }
  });
});
