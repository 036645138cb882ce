/** A destination that hangs, drips or floods costs its user ten seconds, and us next to nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { exportTestSteps, type TestResult } from '../../../src/exports/integrations/test-steps.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

/** With less patience than the API has. */
async function firstResult({ world }: ExportsApi, type: string, config: object): Promise<TestResult> {
  const { engine, projectId } = world;
  const steps = exportTestSteps({ ...engine, log: createLogger({ LOG_LEVEL: 'silent' }, 'test'), stepMs: 300 });
  const wanted = {
    name: 'n',
    model: 'events',
    interval: 'hour',
    paused: false,
    startAt: null,
    endAt: null,
  } as const;
  const { result } = await steps.runNew(projectId, { ...wanted, destination: { type, config: { ...config } } }, 0);
  return result;
}

describe('test steps of servers that mean no good', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  let server: Server;
  const sockets = new Set<Socket>();
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  async function listen(onConnection: (socket: Socket) => void): Promise<object> {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      onConnection(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd' };
  }

  const late = 'The destination did not answer within 0.3 seconds.';

  it('end in time, when the server says nothing', async () => {
    const config = await listen(() => {});
    assert.deepEqual(await firstResult(exports, 'Postgres', config), { status: 'Failed', message: late });
  });

  it('end in time, when the server drips', async () => {
    const config = await listen((socket) => {
      socket.write('N');
      const dripping = setInterval(() => socket.write('R'), 20);
      socket.on('close', () => clearInterval(dripping));
    });
    assert.deepEqual(await firstResult(exports, 'Postgres', config), { status: 'Failed', message: late });
  });

  it('take no more than a little, when the server does not stop', async () => {
    let sent = 0;
    const config = await listen((socket) => {
      socket.write('N');
      // A message of a gigabyte: its type, its length, and then whatever comes.
      socket.write(Buffer.from([0x52, 0x40, 0, 0, 0]));
      const flood = Buffer.alloc(64 * 1024);
      const pump = () => {
        while (!socket.destroyed && sent < 1e9 && socket.write(flood)) sent += flood.length;
      };
      socket.on('drain', pump);
      pump();
    });
    assert.equal((await firstResult(exports, 'Postgres', config)).status, 'Failed');
    assert.ok(sent < 64e6, `${sent} bytes`);
  });

  it('end in time, when a store says nothing', async () => {
    const { port } = (await listen(() => {})) as { port: number };
    const config = {
      bucket_name: 'bucket',
      region: 'us-east-1',
      prefix: '',
      endpoint_url: `http://127.0.0.1:${port}`,
      aws_access_key_id: 'a',
      aws_secret_access_key: 'b',
    };
    assert.deepEqual(await firstResult(exports, 'S3Compatible', config), { status: 'Failed', message: late });
  });
});
