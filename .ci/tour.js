// The README's tour and the first steps of its pages, to the letter, against a server that was started in a copy. Plain Node 20.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const STEPS = [
  ['README.md', '## A tour of five minutes'],
  ['docs/exports.md', '# '],
  ['docs/events.md', '## Sending events'],
  ['docs/dashboards.md', '## A first dashboard'],
];
/** Runs take their time on a machine that does something else. */
const PATIENCE = [/^sleep 5$/m, 'sleep 30'];
const TIMEOUT_MS = 180_000;

const EXPECTED = {
  // In any order, because they begin at once.
  'three runs, Completed, with 13, 19 and 18 records':
    /(?=[^]*Completed {2}13\n)(?=[^]*Completed {2}19\n)[^]*Completed {2}18\n/,
  'a verified export': /\bok +3\b/,
  'the flag': /^new-basket$/m,
  'the reasons': /condition set 1\n.*condition set 2\n.*[Rr]ollout/,
  'a file of the export': /"event":/,
  'a stored event': /^\{"status":1\}\norder placed$/m,
  'the figures of a dashboard': /22\n.*7 {2}4\n/,
  'a shared link': /\/shared\/[\w-]+\n/,
};

/**
 * @param {string} folder the copy, in which `npm start` is ready
 * @param {NodeJS.ProcessEnv} env
 * @throws Error naming what the commands did not print
 */
export function tour(folder, env) {
  const script = STEPS.map(([page, heading]) => commandsOf(path.join(folder, page), heading)).join('\n');
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', script.replace(...PATIENCE)], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  const missing = Object.entries(EXPECTED).filter(([, pattern]) => !pattern.test(stdout));
  if (status === 0 && missing.length === 0) return;
  const lacks = missing.map(([what]) => what).join(', ');
  throw new Error(`The tour ended with ${status}, without: ${lacks || 'nothing'}.\n${stdout}\n${stderr}`);
}

/** The first block of commands below a heading. */
function commandsOf(file, heading) {
  const text = readFileSync(file, 'utf8');
  const commands = /^```sh\n(.*?)^```$/ms.exec(text.slice(text.indexOf(heading)))?.[1];
  if (commands === undefined) throw new Error(`${file} has no commands below "${heading}".`);
  return commands;
}
