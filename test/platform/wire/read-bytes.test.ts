import assert from 'node:assert/strict';
import http from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { WholeRequest } from '../../../src/platform/lane/request.ts';
import { readBytes } from '../../../src/platform/wire/read-bytes.ts';

const LIMIT = 1000;

const chunked = (length: number) => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
const whole = (length: number) =>
  new WholeRequest({ method: 'POST', url: '/', headers: {} }, Buffer.alloc(length), new Socket());

describe('the bytes of a body', () => {
  let server: http.Server;
  let port: number;
  /** How the last request ended: its length, or the error's name. */
  let ended: Promise<number | string>;
  let kept = 0;

  before(async () => {
    server = http.createServer((request, response) => {
      const read = readBytes(request, LIMIT, (bytes) => (kept += bytes));
      ended = read.then(
        ({ length }) => length,
        (error: Error) => error.name,
      );
      void ended.then(() => response.end());
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    kept = 0;
  });

  /** Sends a head, then a body until it is answered. */
  async function send(head: string, ...chunks: string[]): Promise<number | string> {
    const socket = connect(port, '127.0.0.1');
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    for (const chunk of chunks) socket.write(chunk);
    await answered;
    socket.destroy();
    return ended;
  }

  it('are read up to the limit, with a length and without', async () => {
    assert.equal(await send(`Content-Length: ${LIMIT}`, 'x'.repeat(LIMIT)), LIMIT);
    assert.equal(await send('Transfer-Encoding: chunked', chunked(400), chunked(600), '0\r\n\r\n'), LIMIT);
  });

  it('are not read at all when the announced length is over it', async () => {
    assert.equal(await send(`Content-Length: ${LIMIT + 1}`, 'x'), 'TooLarge');
    assert.equal(kept, 0);
  });

  it('are read no further than the limit where no length is announced', async () => {
    assert.equal(await send('Transfer-Encoding: chunked', chunked(600), chunked(600), '0\r\n\r\n'), 'TooLarge');
    // Twice: in chunks, and in one piece.
    assert.ok(kept <= 2 * LIMIT, `${kept}`);
  });

  it('are limited also when they come in one piece', async () => {
    assert.equal((await readBytes(whole(LIMIT), LIMIT, () => {})).length, LIMIT);
    await assert.rejects(
      readBytes(whole(LIMIT + 1), LIMIT, () => assert.fail('it was kept')),
      { name: 'TooLarge' },
    );
  });
});
