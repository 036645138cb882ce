/** Servers that an earlier start left behind because it was killed: recognised by their command line, then ended. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CommandFailed } from '../errors.ts';

const run = promisify(execFile);
const STOP_TIMEOUT_MS = 30_000;

export type Leftover = {
  pid: number;
  /** Texts that its command line must hold, because the process id may belong to another process by now. */
  commandHolds: readonly string[];
  signal: NodeJS.Signals;
  /** For the message when it does not stop. */
  what: string;
};

/**
 * Ends the process if its command line still matches, and waits until it is gone.
 * @throws CommandFailed when it does not stop within 30 s
 */
export async function endLeftover({ pid, commandHolds, signal, what }: Leftover): Promise<void> {
  if (!(await runsCommand(pid, commandHolds))) return;
  process.kill(pid, signal);
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline)
      throw new CommandFailed(`${what} from an earlier start (process ${pid}) does not stop. End it and start again.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether the process lives and its command line holds all these texts. */
export async function runsCommand(pid: number, commandHolds: readonly string[]): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  const command = await commandLine(pid);
  return commandHolds.every((text) => command.includes(text));
}

async function commandLine(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    // No /proc: macOS. A process that ended meanwhile has no command line.
    return run('ps', ['-o', 'command=', '-p', String(pid)]).then(
      ({ stdout }) => stdout,
      () => '',
    );
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
