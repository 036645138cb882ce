import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../../../src/platform/errors.ts';
import {
  startHttpServer,
  type Application,
  type Listener,
  type ServerOptions,
} from '../../../src/platform/http/server.ts';

const HERE = { host: '127.0.0.1', port: 0 };

const serve = (listener: Listener, options: Partial<ServerOptions> = {}) =>
  startHttpServer({ listener }, { ...HERE, ...options });

describe('an HTTP server', () => {
  it('finishes the request under way when it is stopped, and accepts no others', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await serve(async (_request, response) => {
      arrived.resolve();
      await sleep(400);
      response.end('done');
    });
    const underWay = fetch(server.url);
    await arrived.promise;
    const stopped = server.stop(60_000);
    assert.equal(await (await underWay).text(), 'done');
    await stopped;
    await assert.rejects(fetch(server.url));
  });

  it('makes clients close connections that they keep open, so that stopping is quick', async () => {
    const server = await serve(async (_request, response) => void response.end());
    assert.equal((await fetch(server.url)).headers.get('connection'), 'keep-alive');
    const startedAt = performance.now();
    const stopped = server.stop(60_000);
    assert.equal((await fetch(server.url)).headers.get('connection'), 'close');
    await stopped;
    // Without that header, connections stay open for five seconds.
    assert(performance.now() - startedAt < 4_500);
  });

  it('stops even if a connection is silent', async () => {
    const server = await startHttpServer({ listener: async () => {}, lane: () => false }, HERE);
    const socket = connect(server.port, '127.0.0.1').resume();
    await sleep(1_200);
    const startedAt = performance.now();
    await Promise.all([once(socket, 'close'), server.stop(60_000)]);
    assert(performance.now() - startedAt < 30_000);
  });

  it('answers through its listener alone when the fast path is off', async () => {
    const application: Application = {
      listener: async (_request, response) => void response.end('listener'),
      lane: (_request, reply) => {
        reply(200, '"lane"');
        return true;
      },
    };
    for (const [fastPath, answer] of [
      [undefined, '"lane"'],
      [true, '"lane"'],
      [false, 'listener'],
    ] as const) {
      const server = await startHttpServer(application, { ...HERE, fastPath });
      assert.equal(await (await fetch(server.url, { method: 'POST', body: '{}' })).text(), answer);
      await server.stop(1_000);
    }
  });

  it('refuses an address that is too long with 431 and no body', async () => {
    const server = await serve(async (_request, response) => void response.end());
    const { status, headers, text } = await fetch(`${server.url}/?${'x'.repeat(20_000)}`).then(async (answer) => ({
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
    }));
    assert.deepEqual([status, headers.get('content-type'), text], [431, null, '']);
    await server.stop(1_000);
  });

  it('closes the connections that are left after the grace period', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await serve(() => {
      arrived.resolve();
      return new Promise(() => {});
    });
    const hanging = assert.rejects(fetch(server.url));
    await arrived.promise;
    await server.stop(100);
    await hanging;
  });

  it('cuts senders that are silent or slow, and serves the others meanwhile', async () => {
    const arrival = { headersTimeout: 1_000, requestTimeout: 1_500, connectionsCheckingInterval: 50 };
    const server = await serve(
      async (request, response) => {
        for await (const _ of request);
        response.end();
      },
      { arrival },
    );
    const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
    /** Sends the beginning, then a byte every 20 ms until the server closes the connection. @returns the server's answer */
    async function trickle(beginning: string, byte: string): Promise<string> {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      let answerText = '';
      socket.on('data', (chunk) => (answerText += chunk.toString('latin1')));
      socket.write(beginning);
      const more = setInterval(() => byte && socket.write(byte), 20);
      // A byte that arrives after the server has closed the connection resets it, and the answer may be lost by that.
      await new Promise((closed) => socket.once('close', closed));
      clearInterval(more);
      return answerText;
    }
    try {
      const slow = Promise.all([
        trickle('', ''),
        trickle('POST / HT', ''),
        trickle(`${head}X-Slow: `, 'x'),
        trickle(`${head}Content-Length: 100000\r\n\r\n`, 'x'),
        trickle(`${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
      ]);
      assert.equal((await fetch(server.url)).status, 200);
      for (const [index, answerText] of (await slow).entries()) {
        if (answerText !== '' || index < 2) assert.match(answerText, /^HTTP\/1.1 408 /);
      }
    } finally {
      await server.stop(100);
    }
  });

  it('explains what to do when its port is taken', async () => {
    const server = await serve(async () => {});
    try {
      await assert.rejects(
        serve(async () => {}, { port: server.port }),
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
