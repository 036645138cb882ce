import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkTextsAndDepth, readJson } from '../../../src/platform/http/body.ts';

const MIB = 1024 * 1024;

/** An object in an object, so many times. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const textOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

describe('the JSON body of a request', () => {
  let server: http.Server;
  let url: string;

  before(async () => {
    server = http.createServer((request, response) => {
      readJson(request).then(
        (body) => response.end(JSON.stringify({ body })),
        (error: Error) => response.end(JSON.stringify({ error: error.name })),
      );
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  async function send(body: string | ReadableStream): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    return answer.json();
  }

  it('has a mebibyte at most, announced or not', async () => {
    assert.deepEqual(await send(textOf(MIB)), { body: 'x'.repeat(MIB - 2) });
    assert.deepEqual(await send(textOf(MIB + 1)), { error: 'TooLarge' });
    const stream = new Blob([textOf(MIB + 1)]).stream();
    assert.deepEqual(await send(stream), { error: 'TooLarge' });
  });

  it('has 64 levels at most, also where it has as many as fit', async () => {
    assert.deepEqual(await send(JSON.stringify(nested(64))), { body: nested(64) });
    assert.deepEqual(await send(JSON.stringify(nested(65))), { error: 'TooLarge' });
    assert.deepEqual(await send('['.repeat(MIB / 2) + ']'.repeat(MIB / 2)), { error: 'TooLarge' });
  });

  it('has no text that Postgres could not store, in values and in names', async () => {
    for (const body of [{ a: 'x\0' }, { 'x\0': 1 }, { a: [{ b: '\0' }] }, '\0', ['\0']]) {
      assert.deepEqual(await send(JSON.stringify(body)), { error: 'InvalidInput' });
    }
    assert.throws(() => checkTextsAndDepth({ a: { b: '\ud800' } }), { name: 'InvalidInput', attr: 'a__b' });
    assert.throws(() => checkTextsAndDepth({ a: ['x\0'] }), { name: 'InvalidInput', attr: 'a__0' });
  });
});
