/** One run of mocha over a few test files of a copy of the tree. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from './reporter.ts';

/** Tests are given patience for busy machines; one that is stuck has none of its own. */
const LIMIT_MS = 240_000;
/** How long a run may take to stop its servers once its tests have ended. */
const STOP_MS = 30_000;
const LOOK_MS = 200;

export type Outcome =
  | { end: 'passed'; tests: number }
  /** By an assertion or a hook. */
  | { end: 'failed'; test: string; message: string }
  /** The tests' own time-out, or ours. */
  | { end: 'hung'; test: string }
  /** No test ran: a file is missing or cannot be loaded, no test matches, or the code names what is not there. */
  | { end: 'broken'; why: string };

/** @param folder the copy's root */
export async function runTests(
  folder: string,
  { tests, grep }: { tests: readonly string[]; grep?: string },
  limitMs: number = LIMIT_MS,
): Promise<Outcome> {
  const report = path.join(folder, 'mocha-report.json');
  await rm(report, { force: true });
  const mocha = spawn(
    process.execPath,
    [
      path.join(folder, 'node_modules/mocha/bin/mocha.js'),
      '--bail',
      '--reporter',
      path.join(folder, 'test/teeth/reporter.ts'),
      '--reporter-option',
      `output=${report}`,
      ...(grep === undefined ? [] : ['--grep', grep]),
      ...tests,
    ],
    // In a group of its own, which can be ended as a whole.
    {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, SLUICE_CONTRACT: 'whole' },
    },
  );
  running.add(mocha);
  let errors = '';
  mocha.stderr.on('data', (bytes: Buffer) => (errors = (errors + bytes.toString()).slice(-4_000)));
  const ended = new Promise<void>((resolve) => mocha.once('close', () => resolve()));
  const found = await reportOf(report, ended, limitMs);
  await end(mocha, ended, found ? STOP_MS : LOOK_MS);
  running.delete(mocha);
  if (found) return outcomeOf(found);
  return endedByUs.has(mocha) ? { end: 'hung', test: tests.join(' ') } : { end: 'broken', why: lastLines(errors) };
}

const endedByUs = new WeakSet<ChildProcess>();
const running = new Set<ChildProcess>();

/** Ends what is under way: being in groups of their own, runs do not hear a Ctrl-C. */
export function endRuns(): void {
  for (const mocha of running) killGroup(mocha.pid!);
}

/** Mocha's report once its tests have ended; undefined when its process ended without one, or the time is over. */
async function reportOf(file: string, ended: Promise<void>, limitMs: number): Promise<Report | undefined> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    const isEnded = await Promise.race([ended.then(() => true), sleep(LOOK_MS).then(() => false)]);
    const report = await read(file);
    if (report || isEnded) return report;
  }
  return undefined;
}

async function read(file: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch {
    // Not written yet.
    return undefined;
  }
}

/** Waits, then asks, as Ctrl-C does, so that the tests' servers end too; then kills. */
async function end(mocha: ChildProcess, ended: Promise<void>, patienceMs: number): Promise<void> {
  const endsWithin = (ms: number) => Promise.race([ended.then(() => true), sleep(ms).then(() => false)]);
  if (await endsWithin(patienceMs)) return;
  endedByUs.add(mocha);
  for (const signal of ['SIGINT', 'SIGINT', 'SIGKILL'] as const) {
    if (signal === 'SIGKILL') killGroup(mocha.pid!);
    else mocha.kill(signal);
    if (await endsWithin(5_000)) return;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

function outcomeOf({ passes, failures: [failure] }: Report): Outcome {
  if (!failure) return passes > 0 ? { end: 'passed', tests: passes } : { end: 'broken', why: 'no test was run' };
  const { title: test, name, code, message } = failure;
  if (code === 'ERR_MOCHA_TIMEOUT') return { end: 'hung', test };
  if (BROKEN.test(`${name} ${code} ${message}`)) return { end: 'broken', why: `${test}: ${firstLine(message)}` };
  return { end: 'failed', test, message: firstLine(message) };
}

/** A program or a statement that cannot run shows nothing of what the line was for. */
const BROKEN =
  /\b(?:ReferenceError|SyntaxError|ERR_MODULE_NOT_FOUND)\b|syntax error at or near|could not determine data type of parameter|bind message supplies/;

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!.slice(0, 200);
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-6).join(' | ').slice(-600) || 'mocha ended without a report';
}
