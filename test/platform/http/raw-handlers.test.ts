import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gatekeeper } from '../../../src/platform/http/access.ts';
import type { RawHandler } from '../../../src/platform/http/raw-answers.ts';
import { noBody, route } from '../../../src/platform/http/route.ts';
import type { Lane } from '../../../src/platform/lane/request.ts';
import { startApi, type Api } from '../../support/api/api.ts';

const lane: Lane = ({ url }, reply) => {
  if (url !== '/lane') return false;
  setImmediate(() => reply(202, '"lane"', { 'X-Own': '1' }));
  return true;
};

/** Answers that are awaited. */
const late: (() => void)[] = [];

const rawHandler: RawHandler = (request, response) => {
  if (request.url === '/late') late.push(() => response.writeHead(200).end('late'));
  else if (request.url === '/lane') response.writeHead(500).end('asked too late');
  else if (request.url === '/raw') response.writeHead(200, { 'Content-Length': 3 }).end('raw');
  else return false;
  return true;
};

describe('raw handlers', () => {
  let api: Api;
  before(async () => {
    const path = '/:any/' as const;
    const ok = route({
      method: 'get',
      path,
      access: { public: true },
      answers: { 200: null },
      summary: 'All else',
      handle: async () => noBody(200),
    });
    api = await startApi({
      lane,
      rawHandlers: [() => false, rawHandler],
      routes: [ok],
      collaborators: {},
      gatekeeper: {} as Gatekeeper,
    });
  });
  after(() => api.stop());

  async function headersOf(path: string): Promise<[number, string[], unknown]> {
    const { status, headers, body } = await api.request('GET', path, { headers: { Origin: 'https://x.example' } });
    return [status, [...headers.keys()].filter((name) => !['date', 'connection', 'keep-alive'].includes(name)), body];
  }

  it('are called before the routes, the lane first, and nothing is added to their answers', async () => {
    assert.deepEqual(await headersOf('/lane'), [
      202,
      ['content-length', 'content-type', 'x-content-type-options', 'x-own'],
      'lane',
    ]);
    assert.deepEqual(await headersOf('/raw'), [200, ['content-length'], 'raw']);
  });

  it('leave all else to the routes', async () => {
    const [status, names] = await headersOf('/other');
    assert.equal(status, 200);
    assert.ok(names.includes('x-request-id') && names.includes('access-control-allow-origin'));
  });

  it('may answer a client that has broken its connection', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n');
    while (late.length === 0) await sleep(5);
    socket.resetAndDestroy();
    await once(socket, 'close');
    await sleep(50);
    late[0]!();
    await sleep(50);
    assert.doesNotMatch(api.logText(), /could not be sent/);
    assert.equal((await headersOf('/raw'))[0], 200);
  });
});
