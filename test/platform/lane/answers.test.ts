import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildTenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const UUID = '0193a5d2-7b4e-7c21-9d3e-2f6a8b9c0d1e';
/** A name that is there twice makes a request one for `node:http`, and changes nothing else. */
const TWICE = ['X-Twice: 1', 'X-Twice: 2'];

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const PAGE = ['Origin: https://shop.example', 'Content-Type: text/plain'];

describe('capture and decide', () => {
  let sluice: Sluice;
  let token: string;

  before(async () => {
    sluice = await startSluice({ flagRequestsPerSecond: 4 });
    token = (await buildTenant(sluice.db)).apiToken;
  });
  after(() => sluice.stop());

  /** @returns the whole answer, without what differs from one moment to the next */
  async function answerTo(path: string, fields: readonly string[], body: Buffer): Promise<string> {
    const head = [`POST ${path} HTTP/1.1`, 'Host: x.example', `Content-Length: ${body.length}`, ...fields, '', ''];
    const socket = connect(Number(new URL(sluice.url).port), '127.0.0.1');
    socket.write(Buffer.concat([Buffer.from(head.join('\r\n')), body]));
    for await (const chunk of socket) {
      return String(chunk)
        .replace(/^Date: .*$/m, 'Date: now')
        .replace(/"evaluatedAt":\d+/, '"evaluatedAt":0');
    }
    throw new Error('There was no answer.');
  }

  const event = () => ({ api_key: token, event: 'asked', distinct_id: 'äöü' });
  const asking = () => ({ token, distinct_id: 'äöü' });
  const requests: [what: string, status: number, path: string, fields: string[], body: () => Buffer][] = [
    ['an event', 200, '/e/', [], () => json(event())],
    ['an event in gzip', 200, '/capture/', ['Content-Encoding: gzip'], () => gzipSync(json(event()))],
    [
      'an event in base64, in a form',
      200,
      '/track',
      PAGE,
      () => Buffer.from(`data=${json(event()).toString('base64')}`),
    ],
    ['a beacon from a page', 204, '/e/?beacon=1', PAGE, () => json(event())],
    ['a batch with a bad event', 200, '/batch/', [], () => json({ api_key: token, batch: [event(), { event: 'ü' }] })],
    ['events without a key', 401, '/batch/', PAGE, () => json([{ event: 'a', distinct_id: 'b' }])],
    ['events with an unknown key', 401, '/e/', [], () => json({ ...event(), api_key: 'phc_nobody' })],
    ['an empty body', 400, '/e/', PAGE, () => Buffer.alloc(0)],
    ['nonsense', 400, '/e/', [], () => Buffer.from('{"event":')],
    ['a broken gzip', 400, '/e/', [], () => gzipSync(json(event())).subarray(0, 30)],
    ['an encoding that nobody knows', 415, '/e/', ['Content-Encoding: compress'], () => json(event())],
    ['an event in brotli', 200, '/e/', ['Content-Encoding: br'], () => brotliCompressSync(json(event()))],
    ['a form in parts', 415, '/e/', ['Content-Type: multipart/form-data'], () => json(event())],
    ['gzip that is too large inside', 413, '/e/', [], () => gzipSync(Buffer.alloc(21 * 1024 * 1024, ' '))],
    ['a question for flags', 200, '/flags/?v=2&config=true', PAGE, () => json(asking())],
    ['a question of an older SDK', 200, '/decide/?v=3', [], () => json(asking())],
    ['a question in gzip', 200, '/flags?v=2', ['Content-Encoding: gzip'], () => gzipSync(json(asking()))],
    ['a question with an unknown key', 401, '/flags/?v=2', PAGE, () => json({ ...asking(), token: 'phc_nobody' })],
    ['a question without a person', 400, '/flags/?v=2', [], () => json({ token })],
    ['a question that is no JSON', 400, '/flags/?v=2', PAGE, () => Buffer.from('{')],
  ];

  it('answer in the lane as through node:http, in every field', async () => {
    for (const [what, status, path, fields, body] of requests) {
      const given = [...fields, `X-Request-Id: ${UUID}`];
      const bytes = body();
      const inLane = await answerTo(path, given, bytes);
      const throughNode = await answerTo(path, [...given, ...TWICE], bytes);
      assert.equal(inLane, throughNode, what);
      assert.match(inLane, new RegExp(`^HTTP/1\\.1 ${status} `), what);
      assert.deepEqual(
        sluice.answered.splice(0).map((answer) => answer.inLane),
        [true, false],
        what,
      );
    }
  });

  it('refuse too many in the same way', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        return answerTo('/flags/?v=2', n % 2 === 0 ? PAGE : [...PAGE, ...TWICE], json(asking()));
      }),
    );
    const refusals = [0, 1].map((way) =>
      answers.find((text, n) => n % 2 === way && text.startsWith('HTTP/1.1 429 Too Many Requests')),
    );
    assert.ok(refusals[0]);
    assert.equal(refusals[0], refusals[1]);
  });
});
