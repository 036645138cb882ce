import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../src/platform/config.ts';
import { freePort } from '../../../src/platform/processes/port.ts';
import type { Report } from '../../../src/app/up/report.ts';
import { up } from '../../../src/app/up/up.ts';
import { createEmptyDatabase } from '../../support/database/database.ts';
import { testTemporal } from '../../support/servers/temporal.ts';

describe('sluice up beside servers that it is given', () => {
  it('uses them, starts none of its own, and leaves them running', async () => {
    const database = await createEmptyDatabase();
    const { address } = await testTemporal();
    const state = await mkdtemp(path.join(tmpdir(), 'sluice-test-up-'));
    const stop = Promise.withResolvers<string>();
    const ready = Promise.withResolvers<Report>();
    try {
      const ended = up({
        config: readConfig({
          DATABASE_URL: database.url,
          TEMPORAL_ADDRESS: address,
          TEMPORAL_NAMESPACE: 'made-by-up',
          SLUICE_STATE_DIR: state,
          SLUICE_PORT: '0',
        }),
        signals: { requested: stop.promise, forced: new Promise<never>(() => {}) },
        onProgress: () => {},
        onReady: ready.resolve,
      });
      const report = await Promise.race([ready.promise, ended.then(() => assert.fail('ended before it was ready'))]);
      assert.equal((await fetch(`${report.api_url}/_readyz`)).status, 200);
      assert.deepEqual(
        [report.database_url, report.temporal_address, report.temporal_ui_url],
        [database.url, address, null],
      );
      for (const folder of ['postgres', 'temporal']) assert.equal(existsSync(path.join(state, folder)), false);

      stop.resolve('the test');
      await ended;
    } finally {
      stop.resolve('the test');
      await database.drop();
      await rm(state, { recursive: true, force: true });
    }
  });

  it('waits for a Temporal that does not answer yet, reports so once, and stops on a signal', async () => {
    const database = await createEmptyDatabase();
    const state = await mkdtemp(path.join(tmpdir(), 'sluice-test-up-'));
    const stop = Promise.withResolvers<string>();
    const output: string[] = [];
    try {
      const ended = up({
        config: readConfig({
          DATABASE_URL: database.url,
          TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
          SLUICE_STATE_DIR: state,
          SLUICE_PORT: '0',
        }),
        signals: { requested: stop.promise, forced: new Promise<never>(() => {}) },
        onProgress: (message) => output.push(message),
        onReady: () => assert.fail('ready without Temporal'),
      });
      const waiting = () => output.filter((message) => message.startsWith('Temporal: waiting for 127.0.0.1:')).length;
      // The first attempt begins when the rest of the machine lets it.
      for (let tries = 0; tries < 300 && waiting() === 0; tries++) await Promise.race([ended, sleep(200)]);
      // Longer than one attempt.
      await Promise.race([ended, sleep(8_000)]);
      assert.equal(waiting(), 1);
      stop.resolve('the test');
      await ended;
    } finally {
      stop.resolve('the test');
      await database.drop();
      await rm(state, { recursive: true, force: true });
    }
  });
});
