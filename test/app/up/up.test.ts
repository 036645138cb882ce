import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environmentWith, readConfig } from '../../../src/platform/config.ts';
import { createClient } from '../../../src/platform/db/connection.ts';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { freePort, isPortFree } from '../../../src/platform/processes/port.ts';
import type { Report } from '../../../src/app/up/report.ts';
import { up } from '../../../src/app/up/up.ts';
import { eventually } from '../../support/exports/export-world.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 20_000;

type Running = { child: ChildProcess; output(): string; exitCode: Promise<number | null> };

describe('sluice up', function () {
  this.timeout(2 * START_TIMEOUT_MS);
  let state: string;
  let ports: { api: number; postgres: number; temporal: number; ui: number };
  let started: ChildProcess[];

  before(async () => {
    state = await mkdtemp(path.join(tmpdir(), 'sluice-test-up-'));
    // As a folder that a person makes; run by root, Postgres is another user, and keeps its cluster elsewhere otherwise.
    await chmod(state, 0o755);
    ports = { api: await freePort(), postgres: await freePort(), temporal: await freePort(), ui: await freePort() };
    started = [];
  });
  after(async () => {
    for (const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    await rm(state, { recursive: true, force: true });
  });

  function variablesHere(): Record<string, string> {
    return {
      SLUICE_STATE_DIR: state,
      SLUICE_PORT: String(ports.api),
      SLUICE_POSTGRES_PORT: String(ports.postgres),
      SLUICE_TEMPORAL_PORT: String(ports.temporal),
      SLUICE_TEMPORAL_UI_PORT: String(ports.ui),
    };
  }

  /** In this process: for starts that must not succeed. */
  function upHere(changes: Record<string, string> = {}): Promise<void> {
    const never = new Promise<never>(() => {});
    return up({
      config: readConfig({ ...variablesHere(), ...changes }),
      signals: { requested: never, forced: never },
      onProgress: () => {},
      onReady: () => {},
    });
  }

  /** Of the process that wrote the last line of the role's log. */
  async function pidOf(role: 'api' | 'worker'): Promise<number> {
    const log = await readFile(path.join(state, `${role}.log`), 'utf8');
    return (JSON.parse(log.trim().split('\n').at(-1) ?? '') as { pid: number }).pid;
  }

  function sluice(args: string[], changes: Record<string, string> = {}): Running {
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environmentWith({
        DATABASE_URL: undefined,
        TEMPORAL_ADDRESS: undefined,
        SLUICE_ENCRYPTION_KEYS: undefined,
        ...variablesHere(),
        ...changes,
      }),
    });
    started.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { child, output: () => output, exitCode: once(child, 'close').then(([code]) => code as number | null) };
  }

  async function untilReady(running: Running): Promise<Report> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!running.output().includes('Sluice is ready')) {
      if (running.child.exitCode !== null || Date.now() > deadline) assert.fail(`not ready:\n${running.output()}`);
      await sleep(50);
    }
    return JSON.parse(await readFile(path.join(state, 'dev.json'), 'utf8')) as Report;
  }

  describe('on an empty state folder', () => {
    let running: Running;
    let report: Report;

    before(async () => {
      running = sluice(['up']);
      report = await untilReady(running);
    });

    it('is ready: the API answers, Temporal’s UI too, and the key opens the project', async () => {
      assert.equal((await fetch(`${report.api_url}/_readyz`)).status, 200);
      assert.equal((await fetch(report.temporal_ui_url ?? '')).status, 200);
      const exports = await fetch(`${report.api_url}/api/environments/${report.project_id}/batch_exports/`, {
        headers: { Authorization: `Bearer ${report.personal_api_key}` },
      });
      assert.equal(exports.status, 200);
    });

    it('stores events sent with the project key', async () => {
      const event = { event: 'tried', distinct_id: 'somebody', properties: {} };
      const answer = await fetch(`${report.api_url}/batch/`, {
        method: 'POST',
        body: JSON.stringify({ api_key: report.project_api_key, batch: [event] }),
      });
      assert.deepEqual([answer.status, await answer.json()], [200, { status: 1 }]);
      assert.equal(await countEvents(report.database_url), '1');
    });

    it('lets exports reach public addresses only, as an empty list of hosts says', async () => {
      const nothing = await freePort();
      for (const port of [ports.postgres, ports.temporal, nothing]) {
        const config = { host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd', table_name: 't' };
        const wanted = { name: 'n', interval: 'hour', destination: { type: 'Postgres', config } };
        const path = `/api/projects/${report.project_id}/batch_exports/run_test_step_new/`;
        const answer = await fetch(report.api_url + path, {
          method: 'POST',
          headers: { Authorization: `Bearer ${report.personal_api_key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(wanted),
        });
        assert.equal(answer.status, 400);
        assert.match(await answer.text(), /This host cannot be used/);
      }
    });

    it('shows a dashboard of the demo to every holder of its link', async () => {
      const answer = await fetch(report.shared_dashboard_url ?? '');
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /<h1>Harbour Coffee<\/h1>/);
    });

    it('prints what dev.json holds, which only its owner can read', async () => {
      const servers = ['api_url', 'temporal_ui_url', 'temporal_address', 'temporal_codec_endpoint', 'database_url'];
      assert.deepEqual(Object.keys(report), [
        ...servers,
        'project_id',
        'project_api_key',
        'personal_api_key',
        'email',
        'password',
        'shared_dashboard_url',
        'sign_in_url',
      ]);
      for (const value of Object.values(report)) assert(running.output().includes(String(value)));
      for (const secret of ['dev.json', 'encryption-keys', 'personal-api-key', 'demo-password'])
        assert.equal((await stat(path.join(state, secret))).mode & 0o777, 0o600, secret);
      for (const folder of ['temporal', 'postgres'])
        assert.equal((await stat(path.join(state, folder))).mode & 0o777, 0o700, folder);
    });

    it('prints a link that logs the demo’s user in, once, and writes it into no log', async () => {
      const url = report.sign_in_url ?? '';
      assert.ok(url.startsWith(`${report.api_url}/#sign-in=`));
      assert.match(running.output(), /Open \S+#sign-in=\S+\nto log in: once/);
      const token = url.split('#sign-in=')[1];
      const use = () =>
        fetch(`${report.api_url}/api/login/link/`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ token }),
        });
      const answer = await use();
      assert.equal(answer.status, 200, await answer.text());
      const cookie = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
      const me = await fetch(`${report.api_url}/api/users/@me/`, { headers: { Cookie: cookie.join('; ') } });
      assert.equal(((await me.json()) as { email: string }).email, report.email);
      assert.equal((await use()).status, 400);
      for (const role of ['api', 'worker']) {
        assert.ok(!(await readFile(path.join(state, `${role}.log`), 'utf8')).includes(token!), role);
      }
    });

    it('lets no second start use the folder', async () => {
      await assert.rejects(upHere(), isFailureWith(/^Sluice already runs on .*SLUICE_STATE_DIR/));
    });

    it('starts an API and a worker again that do not answer, and says why', async function () {
      this.timeout(3 * START_TIMEOUT_MS);
      const roles = ['api', 'worker'] as const;
      const pids = await Promise.all(roles.map(pidOf));
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      for (const [index, role] of roles.entries()) {
        // More than three times when it was stopped before its first answer: it counted as starting.
        while (!new RegExp(`The ${role} ended \\(it did not answer \\d+ times in a row\\)`).test(running.output()))
          await sleep(100);
        while ((await pidOf(role)) === pids[index]) await sleep(100);
      }
      await eventually('the API to answer again', async () => {
        const answer = await fetch(`${report.api_url}/_livez/`).catch(() => undefined);
        return answer?.ok;
      });
    });

    it('starts a worker again that was killed', async () => {
      process.kill(await pidOf('worker'), 'SIGKILL');
      while (!running.output().includes('The worker ended (SIGKILL) and starts again')) await sleep(20);
    });

    it('stops everything in seconds on Ctrl-C, also when it arrives twice at once', async () => {
      const startedAt = performance.now();
      running.child.kill('SIGINT');
      running.child.kill('SIGINT');
      const { code } = await stopped(running);
      assert.equal(code, 0);
      assert(performance.now() - startedAt < 10_000);
      for (const port of Object.values(ports)) assert(await isPortFree(port), `port ${port} is free again`);
      await assert.rejects(stat(path.join(state, 'dev.json')), { code: 'ENOENT' });
    });

    it('continues with the same state when it is started again, and ends at once on a second Ctrl-C', async () => {
      running = sluice(['up']);
      const { sign_in_url: url, ...again } = await untilReady(running);
      assert.deepEqual({ ...again, sign_in_url: report.sign_in_url }, report);
      assert.notEqual(url, report.sign_in_url);
      assert.equal(await countEvents(report.database_url), '1');
      running.child.kill('SIGTERM');
      await sleep(600);
      running.child.kill('SIGTERM');
      await stopped(running);
      for (const port of Object.values(ports)) assert(await isPortFree(port), `port ${port} is free again`);
    });
  });

  describe('reports the problem and the fix when', () => {
    const variables = {
      api: 'SLUICE_PORT',
      postgres: 'SLUICE_POSTGRES_PORT',
      temporal: 'SLUICE_TEMPORAL_PORT',
      ui: 'SLUICE_TEMPORAL_UI_PORT',
    } as const;
    for (const [server, variable] of Object.entries(variables)) {
      it(`the port of ${server} is taken`, async () => {
        const port = ports[server as keyof typeof variables];
        const other = createServer().listen(port, '127.0.0.1');
        await once(other, 'listening');
        try {
          const message = new RegExp(`^Port ${port} on 127.0.0.1 is taken.* set ${variable} to another port`);
          await assert.rejects(upHere(), isFailureWith(message));
        } finally {
          other.close();
        }
      });
    }

    it('the state folder is a file', async () => {
      const file = path.join(state, 'a-file');
      await writeFile(file, '');
      const message = /^The state folder .* cannot be made .* Set SLUICE_STATE_DIR/;
      await assert.rejects(upHere({ SLUICE_STATE_DIR: file }), isFailureWith(message));
    });

    it('the encryption keys of earlier starts are gone', async () => {
      await rm(path.join(state, 'encryption-keys'));
      await assert.rejects(upHere(), isFailureWith(/encryption-keys is gone.* move the state folder away/));
    });

    it('the cluster of Postgres is damaged', async () => {
      await writeFile(path.join(state, 'encryption-keys'), `k1:${Buffer.alloc(32, 1).toString('base64')}`);
      await rm(path.join(state, 'postgres', 'data', 'global'), { recursive: true });
      await assert.rejects(upHere(), isFailureWith(/^Postgres stopped while starting on [^]*move it away/));
    });

    it('something cannot start, on the command line, without a stack', async () => {
      const { code, output } = await stopped(sluice(['up'], { SLUICE_PORT: 'eight' }));
      assert.equal(code, 1);
      assert.match(output, /^sluice: The environment is not valid: SLUICE_PORT .*\.\n$/);
    });
  });
});

/** Waits for its end, killing it when that takes more than seconds. */
async function stopped(running: Running): Promise<{ code: number | null; output: string }> {
  const timer = setTimeout(() => running.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  const code = await running.exitCode;
  clearTimeout(timer);
  return { code, output: running.output() };
}

function isFailureWith(message: RegExp): (error: Error) => boolean {
  return (error) => error instanceof CommandFailed && message.test(error.message);
}

async function countEvents(url: string): Promise<string | undefined> {
  const client = createClient({ url, applicationName: 'test' });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>('select count(*) from events');
    return rows[0]?.count;
  } finally {
    await client.end();
  }
}
