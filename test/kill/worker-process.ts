/** The parent's side of a worker process: start, watch its steps, kill, freeze, thaw. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Step } from '../../activities/engine.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './worker.ts';

const PROGRAM = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** The fate of a worker that reached a step; `hold` leaves it waiting there. */
export type Verdict = 'go' | 'kill' | 'hold';

export type WorkerProcess = {
  pid: number;
  exited: Promise<unknown>;
  kill(): void;
  /** SIGSTOP: everything in the process stands still, heartbeats too. */
  freeze(): void;
  /** SIGCONT, and the step that was held may be done. */
  thaw(): void;
};

/** Resolves once the worker takes work. */
export async function startWorkerProcess(
  options: WorkerOptions,
  judge: (step: Step) => Verdict,
): Promise<WorkerProcess> {
  const child = fork(PROGRAM, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const exited = once(child, 'exit');
  const held: number[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') return resolve();
      const verdict = judge(message.step);
      if (verdict === 'kill') child.kill('SIGKILL');
      else if (verdict === 'hold') held.push(message.ticket);
      else send(child, { kind: 'go', ticket: message.ticket });
    });
    void exited.then(() => reject(new Error('the worker ended while it was starting')));
  });
  send(child, { kind: 'start', options });
  await ready;
  return {
    pid: child.pid!,
    exited,
    kill: () => void child.kill('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw() {
      child.kill('SIGCONT');
      for (const ticket of held.splice(0)) send(child, { kind: 'go', ticket });
    },
  };
}

function send(child: ChildProcess, message: ToWorker): void {
  // A process that was killed in between cannot be told, and needs not be.
  if (child.connected) child.send(message, () => {});
}
