import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentWith } from '../../src/config.ts';
import { superviseChild, type SupervisedChild } from '../../src/processes/supervised-child.ts';

type Ended = { code: number | null; signal: NodeJS.Signals | null; delayMs: number };

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

describe('a supervised child', () => {
  let directory: string;
  let child: SupervisedChild | undefined;
  let ends: Ended[];

  const supervise = async (script: string, graceMs = 5_000) => {
    child = await superviseChild({
      command: process.execPath,
      args: ['-e', script],
      env: environmentWith({}),
      logFile: path.join(directory, 'child.log'),
      graceMs,
      onRestart: (ended) => ends.push(ended),
    });
  };
  const logged = () => readFile(path.join(directory, 'child.log'), 'utf8');

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-child-'));
    ends = [];
  });
  afterEach(async () => {
    await child?.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  });

  it('is started again later and later when it keeps ending early', async () => {
    await supervise('process.exit(3)');
    await until(() => ends.length === 2);
    assert.deepEqual(ends, [
      { code: 3, signal: null, delayMs: 500 },
      { code: 3, signal: null, delayMs: 1_000 },
    ]);
  });

  it('is started again at once when somebody killed it', async () => {
    await supervise('console.log(process.pid); setInterval(() => {}, 1000)');
    await until(async () => (await logged()).includes('\n'));
    process.kill(Number((await logged()).trim()), 'SIGKILL');
    await until(async () => (await logged()).trim().split('\n').length === 2);
    assert.deepEqual(ends, [{ code: null, signal: 'SIGKILL', delayMs: 0 }]);
  });

  it('ends on SIGTERM and is not started again', async () => {
    await supervise(
      "process.on('SIGTERM', () => { console.log('bye'); process.exit() }); setInterval(() => {}, 1000); console.log('up')",
    );
    await until(async () => (await logged()).includes('up'));
    await child?.stop();
    assert.equal(await logged(), 'up\nbye\n');
    assert.deepEqual(ends, []);
  });

  it('is killed when it does not end within its grace', async () => {
    await supervise("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')", 100);
    await until(async () => (await logged()).includes('up'));
    await child?.stop();
  });

  it('logs where only its owner reads', async () => {
    await supervise('setInterval(() => {}, 1000)');
    assert.equal((await stat(path.join(directory, 'child.log'))).mode & 0o777, 0o600);
  });
});
