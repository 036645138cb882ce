import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { startTemporalDevServer, type TemporalDevServerOptions } from '../../../src/platform/temporal/dev-server.ts';
import { testTemporal } from '../../support/servers/temporal.ts';

const THIRTY_DAYS_SECONDS = 30 * 24 * 60 * 60;

describe('the embedded Temporal server', () => {
  it('has the namespace, which keeps histories for 30 days', async () => {
    const { address, namespace } = await testTemporal();
    const connection = await Connection.connect({ address });
    try {
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), THIRTY_DAYS_SECONDS);
    } finally {
      await connection.close();
    }
  });

  describe('of its own', () => {
    let directory: string;
    const options = (): TemporalDevServerOptions => {
      return { directory, port: 0, uiPort: 0, namespace: 'sluice', persistent: true };
    };

    beforeEach(async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-temporal-'));
    });
    afterEach(() => rm(directory, { recursive: true, force: true }));

    it('serves the UI, keeps its state in the folder, and ends the server that a killed start left behind', async () => {
      const first = await startTemporalDevServer(options());
      const pidFile = path.join(directory, 'temporal.pid');
      const firstPid = await readFile(pidFile, 'utf8');
      assert.equal((await fetch(first.uiUrl)).status, 200);

      const codecEndpoint = 'http://127.0.0.1:8000/_codec/token';
      const second = await startTemporalDevServer({ ...options(), codecEndpoint });
      const settings = await (await fetch(`${second.uiUrl}/api/v1/settings`)).text();
      assert.ok(settings.includes(codecEndpoint), 'the UI knows who opens payloads');
      await first.exited;
      assert.notEqual(await readFile(pidFile, 'utf8'), firstPid);
      await second.stop();
      await assert.rejects(readFile(pidFile), { code: 'ENOENT' });
    });

    it('says which port is taken and which variable moves it', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      try {
        await assert.rejects(startTemporalDevServer({ ...options(), port }), (error: Error) => {
          assert(error instanceof CommandFailed);
          assert.match(error.message, new RegExp(`Port ${port} .* SLUICE_TEMPORAL_PORT`));
          return true;
        });
      } finally {
        other.close();
      }
    });

    it('says which folder to move away when its state cannot be read', async () => {
      await writeFile(path.join(directory, 'temporal.db'), 'not a database '.repeat(1000));
      await assert.rejects(startTemporalDevServer(options()), (error: Error) => {
        assert(error instanceof CommandFailed);
        assert.match(error.message, /move it away/);
        assert(error.message.includes(directory));
        return true;
      });
    });
  });
});
