import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { headReader } from '../../../src/platform/lane/head.ts';
import { leastProcessorMs } from '../../support/durations.ts';

const PLAIN = ['POST /flags/?v=2 HTTP/1.1', 'Host: flags.example', 'Content-Length: 2'];
const textOf = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const read = (text: string) => headReader()(Buffer.from(text, 'latin1'));

describe('the head of a plain request', () => {
  it('says where it goes, and how long its body is', () => {
    assert.deepEqual(read(`${textOf([...PLAIN, 'User-Agent:posthog-node/5  ', 'X-Empty:'])}{}`), {
      method: 'POST',
      url: '/flags/?v=2',
      headers: Object.assign(Object.create(null), {
        host: 'flags.example',
        'user-agent': 'posthog-node/5',
        'x-empty': '',
      }),
      headBytes: 108,
      bodyBytes: 2,
    });
  });

  it('is read again when it differs from the one before on its connection', () => {
    const reads = headReader();
    const given: [length: string, last: string][] = [
      ['2', 'a'],
      ['2', 'a'],
      ['1723', 'a'],
      ['2', 'a'],
      ['2', 'b'],
      ['2, 2', 'b'],
      ['', 'b'],
      ['2', 'b'],
    ];
    const read = given.map(([length, last]) => {
      const text = textOf([...PLAIN.slice(0, 2), `Content-Length: ${length}`, `X-Last: ${last}`]);
      const head = reads(Buffer.from(text));
      assert.ok(!head || head.headBytes === text.length);
      return head && [head.bodyBytes, head.headers['x-last']];
    });
    assert.deepEqual(read, [[2, 'a'], [2, 'a'], [1723, 'a'], [2, 'a'], [2, 'b'], undefined, undefined, [2, 'b']]);
  });

  const refused: [why: string, lines: string[]][] = [
    ['another method', ['GET / HTTP/1.1', ...PLAIN.slice(1)]],
    ['a method in small letters', ['post / HTTP/1.1', ...PLAIN.slice(1)]],
    ['an older version', ['POST / HTTP/1.0', ...PLAIN.slice(1)]],
    ['a whole address as its target', ['POST http://flags.example/ HTTP/1.1', ...PLAIN.slice(1)]],
    ['a space in its target', ['POST /a b HTTP/1.1', ...PLAIN.slice(1)]],
    ['bytes beyond ASCII in its target', ['POST /\xe4 HTTP/1.1', ...PLAIN.slice(1)]],
    ['an empty line before it', ['', ...PLAIN]],
    ['no host', ['POST / HTTP/1.1', 'Content-Length: 2']],
    ['two hosts', [...PLAIN, 'host: other.example']],
    ['no length', PLAIN.slice(0, 2)],
    ['two lengths', [...PLAIN, 'Content-Length: 2']],
    ['two lengths in one', [...PLAIN.slice(0, 2), 'Content-Length: 2, 2']],
    ['a length with a sign', [...PLAIN.slice(0, 2), 'Content-Length: +2']],
    ['a length in other digits', [...PLAIN.slice(0, 2), 'Content-Length: 0x2']],
    ['a length beyond all bounds', [...PLAIN.slice(0, 2), 'Content-Length: 99999999999999999999']],
    ['a transfer encoding', [...PLAIN, 'Transfer-Encoding: chunked']],
    ['a transfer encoding beside a length, in odd letters', [...PLAIN, 'transfer-ENCODING:\tchunked']],
    ['an expectation', [...PLAIN, 'Expect: 100-continue']],
    ['an upgrade', [...PLAIN, 'Upgrade: h2c']],
    ['the end of its connection', [...PLAIN, 'Connection: close']],
    ['options of its connection', [...PLAIN, 'Connection: keep-alive, X-Hop']],
    ['the same name twice', [...PLAIN, 'X-Forwarded-For: 1.1.1.1', 'x-forwarded-for: 2.2.2.2']],
    ['a space before the colon', [...PLAIN, 'X-Name : 1']],
    ['a line that goes on in the next', [...PLAIN, 'X-Name: 1', ' 2']],
    ['a line without a colon', [...PLAIN, 'X-Name']],
    ['a name of nothing', [...PLAIN, ': 1']],
    ['a line break of one byte', [...PLAIN, 'X-Name: 1\nTransfer-Encoding: chunked']],
    ['a carriage return alone', [...PLAIN, 'X-Name: 1\rX-Other: 2']],
    ['a NUL', [...PLAIN, 'X-Name: \0']],
    ['bytes beyond ASCII in a value', [...PLAIN, 'X-Name: \xe4']],
    ['an older way to name the end of its connection', [...PLAIN, 'Proxy-Connection: close']],
    ['more than eight kilobytes', [...PLAIN, `X-Name: ${'x'.repeat(8_192)}`]],
  ];
  for (const [why, lines] of refused) {
    it(`is not one with ${why}`, () => assert.equal(read(textOf(lines)), undefined));
  }

  it('is read in no more time for how its spaces lie', async () => {
    const spaces = ' '.repeat(8_000);
    const ms = await leastProcessorMs(400, () => {
      for (const value of [`${spaces}\xe4`, `a${spaces}\xe4`, 'a '.repeat(4_000) + '\xe4']) {
        for (let n = 0; n < 10; n += 1) assert.equal(read(textOf([...PLAIN, `X-Name:${value}`])), undefined);
      }
    });
    assert.ok(ms < 400, `${ms} ms`);
  });

  it('is complete', () => assert.equal(read(PLAIN.join('\r\n')), undefined));
});

describe('a head that the lane takes for a plain one', () => {
  let server: Server;
  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => void server.close());

  /** The request that `node:http` makes of the same bytes. */
  async function readByNode(text: string): Promise<Partial<IncomingMessage> & { body: string }> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.end(text, 'latin1');
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    const body = Buffer.concat(await request.toArray()).toString('latin1');
    socket.destroy();
    return { method: request.method!, url: request.url!, headers: request.headers, body };
  }

  const odd = fc.constantFrom(
    ' ',
    '\t',
    '\r',
    '\n',
    '\0',
    ':',
    ',',
    ';',
    '"',
    '\x7f',
    '\xa0',
    '%',
    '#',
    '?',
    'x',
    '0',
    '-',
  );
  const someText = fc.string({
    unit: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('a', 'Z', '7', '-') }, odd),
    maxLength: 8,
  });
  const names = fc.constantFrom(
    'Host',
    'Connection',
    'Content-Length',
    'Transfer-Encoding',
    'Accept',
    'Cookie',
    'X-A',
    'x-a',
    'Expect',
  );
  const values = fc.oneof(
    fc.constantFrom('2', '3', 'keep-alive', 'close', 'chunked', 'identity', 'x.example', ''),
    someText,
  );
  const lines = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(names, fc.constantFrom(':', ': ', ' :', ':\t '), values).map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: someText },
  );
  const targets = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('/', '/flags/?v=2', '/e/?a=%20&b=+') },
    someText.map((text) => `/${text}`),
  );

  it('is read by node:http in the same way', async () => {
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(targets, fc.array(lines, { maxLength: 3 }), fc.nat(2), async (target, more, at) => {
        const given = ['Host: x.example', 'Content-Length: 2'];
        given.splice(at, 0, ...more);
        const text = `${textOf([`POST ${target} HTTP/1.1`, ...given])}{}`;
        const head = read(text);
        if (!head || head.bodyBytes !== 2) return;
        plain += 1;
        const { method, url, headers, headBytes } = head;
        const body = text.slice(headBytes, headBytes + 2);
        const seen = await readByNode(text);
        const headersOfNode = { ...headers, 'content-length': seen.headers!['content-length'] };
        assert.deepEqual({ method, url, headers: headersOfNode, body }, { ...seen, headers: { ...seen.headers } });
        assert.equal(head.bodyBytes, Number(headersOfNode['content-length']));
      }),
      { numRuns: 1_500, seed: 20261121 },
    );
    assert.ok(plain > 250, `${plain} of them were plain`);
  });
});
