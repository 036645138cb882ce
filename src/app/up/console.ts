/** Builds the console in a separate process while the servers start, if its sources have changed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../../console/build.ts', import.meta.url));
const TIMEOUT_MS = 120_000;

/** Never rejects, because everything but the pages works without the console. @param onProgress receives the reason of a failure */
export async function buildConsole(onProgress: (message: string) => void): Promise<void> {
  if (!existsSync(BUILD)) return;
  const building = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
  let output = '';
  for (const stream of [building.stdout, building.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_096)));
  }
  const code = await new Promise<number | null>((resolve) => {
    building.once('error', () => resolve(null)).once('close', resolve);
  });
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  if (code !== 0) onProgress(`The console cannot be built, so there are no pages: ${lastLine}`);
  else if (lastLine.startsWith('Built')) onProgress(`Console: ${lastLine}`);
}
