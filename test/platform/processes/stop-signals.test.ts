import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.ts';

const MODULE = new URL('../../../src/platform/processes/stop-signals.ts', import.meta.url).href;
const SCRIPT = `
  const { stopSignals } = await import(${JSON.stringify(MODULE)});
  const { requested, forced } = stopSignals();
  const alive = setInterval(() => {}, 1000);
  requested.then((reason) => process.stdout.write('requested by ' + reason + '\\n'));
  forced.then(() => { clearInterval(alive); process.stdout.write('forced\\n'); });
  process.stdout.write('up\\n');
`;

describe('asking a process to stop', () => {
  let child: ChildProcess;
  let output: string;

  beforeEach(async () => {
    output = '';
    child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await printed('up');
  });
  afterEach(() => child.kill('SIGKILL'));

  const printed = (text: string) => until(text, () => output.includes(text));

  it('counts the signals of one Ctrl-C once, and a later one as a second', async () => {
    child.kill('SIGINT');
    child.kill('SIGINT');
    await printed('requested by SIGINT');
    await sleep(550);
    assert(!output.includes('forced'));
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await printed('forced');
    await ended;
  });

  it('happens by itself when the supervisor is gone', async () => {
    child.disconnect();
    await printed('requested by the supervisor ended');
  });
});
