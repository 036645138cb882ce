/** One server of the installation, which chaos may kill, freeze and start again on the same port with the same state. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Starts the version that is tested. */
export const LAUNCHER = fileURLToPath(new URL('../../bin/sluice', import.meta.url));

export type ServerProcess = {
  name: string;
  /** How `kill` ends it: the emulators hold everything in memory, so only their network is cut. */
  ending: 'kill' | 'cut off';
  /** SIGKILL to all of it; resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it takes work again. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT to the process and all of its children. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
};

/** The differences between servers: how one is started, which process it is, and how it is ended at once. */
export type Control = { start(): Promise<void>; pid(): Promise<number>; kill(): Promise<void> };

export function serverProcess(
  name: string,
  { start, pid, kill }: Control,
  ending: ServerProcess['ending'] = 'kill',
): ServerProcess {
  const signal = async (sent: NodeJS.Signals) => {
    for (const one of await processTree(await pid())) send(one, sent);
  };
  return { name, ending, start, kill, freeze: () => signal('SIGSTOP'), thaw: () => signal('SIGCONT') };
}

/** Long enough on a machine that is busy with something else. */
const START_MS = 180_000;

export type ProgramOptions = {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Takes all output of all starts. */
  logFile: string;
  /** Resolves when the program takes work. */
  ready(): Promise<boolean>;
};

/** A program that is a child of ours. */
export function program({ command, args, env, logFile, ready }: ProgramOptions): Control {
  let child: ChildProcess | undefined;
  return {
    async start() {
      const log = await open(logFile, 'a');
      child = spawn(command, args, { env, stdio: ['ignore', log.fd, log.fd] });
      const started = child;
      await log.close();
      const deadline = performance.now() + START_MS;
      while (!(await ready())) {
        if (started.exitCode !== null || performance.now() > deadline)
          throw new Error(`${path.basename(logFile)}: the program does not start`);
        await sleep(100);
      }
    },
    async pid() {
      return child!.pid!;
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The process and everything below it, from `/proc`. */
async function processTree(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const status = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // "pid (name) state parent …": the name may hold anything, also parentheses.
    const parent = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends a server also if it is frozen. */
export async function end({ thaw, kill }: ServerProcess): Promise<void> {
  await thaw().catch(() => {});
  await kill().catch(() => {});
}

export async function isAnswering(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );
}
