// `npm ci --ignore-scripts && npm start` in a copy of the tree: ready, usable, good for the tour, and gone after Ctrl-C. Plain Node 20.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tour } from './tour.js';

const READY_TIMEOUT_MS = 10 * 60_000;
const STOP_TIMEOUT_MS = 30_000;
const PORTS = ['SLUICE_PORT', 'SLUICE_POSTGRES_PORT', 'SLUICE_TEMPORAL_PORT', 'SLUICE_TEMPORAL_UI_PORT'];

const copy = process.argv[2];
copyTree(copy);
const env = { ...process.env };
for (const name of PORTS) env[name] = String(await freePort());

// Its own process group, as a terminal's foreground job has: Ctrl-C is a signal to all of it.
const started = spawn('npm ci --ignore-scripts && npm start', {
  cwd: copy,
  env,
  shell: true,
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});
const exited = new Promise((resolve) => started.once('exit', (code, signal) => resolve({ code, signal })));
try {
  await check(await untilReady(path.join(copy, '.sluice/dev.json')));
  tour(copy, env);
  process.kill(-started.pid, 'SIGINT');
  const ended = await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  if (!ended) throw new Error(`Still running ${STOP_TIMEOUT_MS / 1000} s after Ctrl-C.`);
  for (const name of PORTS) if (!(await isFree(Number(env[name])))) throw new Error(`${name} is still taken.`);
  console.log('started, toured and stopped');
} catch (error) {
  console.error(error.message);
  if (started.exitCode === null) process.kill(-started.pid, 'SIGINT');
  await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  process.exit(1);
}

/** What git knows and what is new: the working tree without what was installed or built. */
function copyTree(to) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(name))) {
    mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
    cpSync(file, path.join(to, file));
  }
}

async function untilReady(file) {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!existsSync(file)) {
    if (started.exitCode !== null) throw new Error(`npm start ended with ${started.exitCode}.`);
    if (Date.now() > deadline) throw new Error(`Not ready after ${READY_TIMEOUT_MS / 60_000} minutes.`);
    await sleep(100);
  }
  if ((statSync(file).mode & 0o777) !== 0o600) throw new Error(`Others can read ${file}.`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function check({ api_url, temporal_ui_url, project_id, project_api_key, personal_api_key }) {
  const headers = { Authorization: `Bearer ${personal_api_key}` };
  const event = { event: 'started', distinct_id: 'ci', properties: {} };
  const answers = {
    '/_readyz': await fetch(`${api_url}/_readyz`),
    'Temporal’s UI': await fetch(temporal_ui_url),
    'the list of exports': await fetch(`${api_url}/api/environments/${project_id}/batch_exports/`, { headers }),
    'the console': await fetch(`${api_url}/`, { headers: { Accept: 'text/html' } }),
    'a captured event': await fetch(`${api_url}/capture/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: project_api_key, ...event }),
    }),
  };
  const bad = Object.entries(answers).filter(([, { status }]) => status !== 200);
  if (bad.length > 0) throw new Error(bad.map(([what, { status }]) => `${what} answered ${status}`).join(', '));
}

/** Below the range of clients' own ports. */
async function freePort() {
  const port = 15_000 + Math.floor(Math.random() * 15_000);
  return (await isFree(port)) ? port : freePort();
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
