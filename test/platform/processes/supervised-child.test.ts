import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentWith } from '../../../src/platform/config.ts';
import { askOverChannel, askOverHttp, type Liveness } from '../../../src/platform/processes/liveness.ts';
import { freePort } from '../../../src/platform/processes/port.ts';
import {
  superviseChild,
  type ChildExit,
  type SupervisedChild,
} from '../../../src/platform/processes/supervised-child.ts';
import { until } from '../../support/until.ts';

describe('a supervised child', () => {
  let directory: string;
  let child: SupervisedChild | undefined;
  let ends: ChildExit[];

  const supervise = async (script: string, graceMs = 5_000, liveness?: Liveness) => {
    child = await superviseChild({
      command: process.execPath,
      args: ['-e', script],
      env: environmentWith({}),
      logFile: path.join(directory, 'child.log'),
      graceMs,
      ...(liveness && { liveness }),
      onRestart: (ended) => ends.push(ended),
    });
  };
  const logged = () => readFile(path.join(directory, 'child.log'), 'utf8');
  /** Of a child that writes them. */
  const pids = async () => (await logged()).trim().split('\n').filter(Boolean).map(Number);

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
    await until('it to happen', () => ends.length >= 2);
    assert.deepEqual(ends.slice(0, 2), [
      { code: 3, signal: null, delayMs: 500, unanswered: undefined },
      { code: 3, signal: null, delayMs: 1_000, unanswered: undefined },
    ]);
  });

  it('is started again at once when it was killed', async () => {
    await supervise('console.log(process.pid); setInterval(() => {}, 1000)');
    await until('it to happen', async () => (await logged()).includes('\n'));
    process.kill(Number((await logged()).trim()), 'SIGKILL');
    await until('it to happen', async () => (await logged()).trim().split('\n').length === 2);
    assert.deepEqual(ends, [{ code: null, signal: 'SIGKILL', delayMs: 0, unanswered: undefined }]);
  });

  it('is ended in order and started again at once on each restart, however often', async () => {
    await supervise(
      "process.on('SIGTERM', () => setTimeout(() => { console.log('bye'); process.exit() }, 100)); setInterval(() => {}, 1000); console.log('up')",
    );
    await until('it to happen', async () => (await logged()).includes('up'));
    child!.restart();
    child!.restart();
    await until('it to happen', async () => (await logged()) === 'up\nbye\nup\n');
    await child!.stop();
    assert.equal(await logged(), 'up\nbye\nup\nbye\n');
    assert.deepEqual(ends, []);
  });

  it('that waits for its next start starts at once on a restart', async () => {
    await supervise("console.log('up'); process.exit(3)");
    await until('it to happen', () => ends.length === 1);
    child!.restart();
    await until('it to happen', async () => (await logged()).startsWith('up\nup\n'));
    await until('it to happen', () => ends.length >= 2);
    // Counted from the start: the sources may be right by now.
    assert.equal(ends[1]!.delayMs, 500);
  });

  it('ends on SIGTERM and is not started again', async () => {
    await supervise(
      "process.on('SIGTERM', () => { console.log('bye'); process.exit() }); setInterval(() => {}, 1000); console.log('up')",
    );
    await until('it to happen', async () => (await logged()).includes('up'));
    await child?.stop();
    assert.equal(await logged(), 'up\nbye\n');
    assert.deepEqual(ends, []);
  });

  it('is killed when it does not end within its grace', async () => {
    await supervise("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')", 100);
    await until('it to happen', async () => (await logged()).includes('up'));
    await child?.stop();
  });

  describe('with checks of its health', () => {
    const ANSWERS = `import('${new URL('../../../src/platform/processes/liveness.ts', import.meta.url).href}').then((m) => m.answerPings());`;
    const SAYS_PID = 'console.log(process.pid); setInterval(() => {}, 1000);';
    const often = { intervalMs: 50, timeoutMs: 1_000, maxMisses: 3, startMs: 60_000 };
    /** A while in which a child that is taken for hung would have been killed. */
    const whileItIsAsked = () => sleep((often.maxMisses + 1) * (often.intervalMs + often.timeoutMs));

    it('is killed and started again when it is frozen', async () => {
      await supervise(`${ANSWERS} ${SAYS_PID}`, 5_000, { ...often, ask: askOverChannel });
      await until('it to happen', async () => (await pids()).length === 1);
      await whileItIsAsked();
      assert.deepEqual(ends, []);
      process.kill((await pids())[0]!, 'SIGSTOP');
      await until('it to happen', async () => (await pids()).length === 2);
      assert.deepEqual(ends, [{ code: null, signal: 'SIGKILL', delayMs: 0, unanswered: 3 }]);
    });

    it('is killed and started again when its event loop stands still, over HTTP', async () => {
      const port = await freePort();
      const script = `let asked = 0; require('http').createServer((request, response) => {
        response.end('yes');
        if (++asked === 5) setTimeout(() => { for (;;); });
      }).listen(${port}, '127.0.0.1'); ${SAYS_PID}`;
      await supervise(script, 5_000, { ...often, ask: askOverHttp(`http://127.0.0.1:${port}/`) });
      await until('it to happen', async () => (await pids()).length === 2);
      assert.deepEqual(ends, [{ code: null, signal: 'SIGKILL', delayMs: 0, unanswered: 3 }]);
    });

    it('is not taken for hung while it starts', async () => {
      const busy = 'const end = Date.now() + 4000; while (Date.now() < end);';
      await supervise(`${SAYS_PID} ${busy} ${ANSWERS}`, 5_000, { ...often, ask: askOverChannel });
      await until('it to happen', async () => (await pids()).length === 1);
      await whileItIsAsked();
      await whileItIsAsked();
      assert.deepEqual(ends, []);
    });

    it('is killed when it never answers', async () => {
      await supervise(SAYS_PID, 5_000, { ...often, startMs: 1_000, ask: askOverChannel });
      await until('it to happen', async () => (await pids()).length === 2);
      assert.equal(ends[0]!.unanswered! >= 3, true);
    });

    it('is not killed for missing one answer, nor while it stops', async () => {
      const slow =
        "process.on('SIGTERM', () => { const end = Date.now() + 4000; while (Date.now() < end); console.log(0); process.exit() });";
      await supervise(`${slow} ${ANSWERS} ${SAYS_PID}`, 30_000, { ...often, ask: askOverChannel });
      await until('it to happen', async () => (await pids()).length === 1);
      const [pid] = await pids();
      await whileItIsAsked();
      process.kill(pid!, 'SIGSTOP');
      await sleep(often.timeoutMs);
      process.kill(pid!, 'SIGCONT');
      await whileItIsAsked();
      assert.deepEqual(ends, []);
      await child!.stop();
      assert.deepEqual((await pids()).at(-1), 0);
    });
  });

  it('logs where only its owner reads', async () => {
    await supervise('setInterval(() => {}, 1000)');
    assert.equal((await stat(path.join(directory, 'child.log'))).mode & 0o777, 0o600);
  });
});
