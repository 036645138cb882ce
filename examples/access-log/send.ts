/** Sends the log as anybody would: with `sluice capture`, in a process of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SLUICE = fileURLToPath(new URL('../../bin/sluice', import.meta.url));

/** The exit code of `sluice capture` when all was sent but for lines that are no requests. */
const SENT_BUT_BAD_LINES = 2;

/** `execFile` of Node rejects with these. Its message is the command line with the key: it must not be shown. */
type Ended = { code: number | string | null; stdout: string; stderr: string };

export type Sending = { log: string; apiUrl: string; projectApiKey: string };

/**
 * @returns what `sluice capture` says of it, the number of bad lines included
 * @throws Error when it stopped, with the reason that it gave
 */
export async function sendLog({ log, apiUrl, projectApiKey }: Sending): Promise<string> {
  const flags = ['--format', 'access-log', '--historical', '--url', apiUrl, '--key', projectApiKey];
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, [SLUICE, 'capture', log, ...flags]).then(
    (sent) => ({ code: 0, ...sent }),
    (error: Ended) => error,
  );
  if (code === 0 || code === SENT_BUT_BAD_LINES) return stdout.trim();
  const [reason = ''] = stderr.replace(/^sluice: /, '').split('\n');
  throw new Error(`The log was not sent: ${reason}`);
}
