/**
 * The parts that benchmarks share: running a case, its CPU time and memory, ratios between cases of the same round, the table.
 *
 * Times are only compared within a round, because single figures mean nothing on a shared machine. CPU time and memory are
 * read from /proc, so benchmarks run on Linux.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** The unit of CPU times in /proc (`getconf CLK_TCK`); 100 on every Linux of today. */
const TICKS_PER_SECOND = 100;
const LOOK_EVERY_MS = 20;

/** A thing that the benchmark needs is missing. The message says which. */
export class NotMeasured extends Error {}

/** One run of one case. CPU is that of everything that did its work. */
export type Sample = { wallMs: number; cpuMs: number; rssMb: number };

/** A way of doing the work; `run` does it once, checks it, and reports. */
export type Case = { name: string; run(): Promise<Sample> };

export type CaseResult = { case: string; wall_ratio: number; cpu_ratio: number; rss_mb: number };
export type Goal = { goal: string; value: number; met: boolean };
/** `missing`: what could not be measured, and why. */
export type BenchResult = { name: string; cases: CaseResult[]; goals: Goal[]; missing?: string[] };

/** A benchmark that `bench/main.ts` runs: prints progress with `log`, returns its figures. */
export type Bench = (options: { large: boolean; log: (line: string) => void }) => Promise<BenchResult>;

/** Adds the figures of one part of a benchmark to its result; if they cannot be had, the result says so, and other parts go on. */
export async function measurePart(
  result: Required<BenchResult>,
  what: string,
  measure: () => Promise<Partial<Pick<BenchResult, 'cases' | 'goals'>>>,
): Promise<void> {
  try {
    const { cases = [], goals = [] } = await measure();
    result.cases.push(...cases);
    result.goals.push(...goals);
  } catch (error) {
    console.error(error);
    result.missing.push(`${what}: ${(error as Error).message}`);
  }
}

/** Runs every case once in each round, in turn, after a round that warms caches and is not counted. @returns samples by case */
export async function interleave(
  cases: readonly Case[],
  rounds: number,
  log: (line: string) => void,
): Promise<Map<string, Sample[]>> {
  const samples = new Map(cases.map(({ name }) => [name, [] as Sample[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of cases) {
      const sample = await run();
      if (round === 0) continue;
      samples.get(name)!.push(sample);
      log(`round ${round}: ${name}: ${sample.wallMs.toFixed(0)} ms, cpu ${sample.cpuMs.toFixed(0)} ms`);
    }
  }
  return samples;
}

/** Compares a case with its baseline: the baseline's wall time and CPU time ÷ those of the case (above 1: the case is faster), as medians over the rounds. */
export function compare(name: string, samples: readonly Sample[], baseline: readonly Sample[]): CaseResult {
  return {
    case: name,
    wall_ratio: rounded(median(samples.map((sample, i) => baseline[i]!.wallMs / sample.wallMs))),
    cpu_ratio: rounded(median(samples.map((sample, i) => baseline[i]!.cpuMs / sample.cpuMs))),
    rss_mb: Math.round(Math.max(...samples.map((sample) => sample.rssMb))),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function atLeast(goal: string, value: number, least: number): Goal {
  return { goal: `${goal} >= ${least}`, value: rounded(value), met: value >= least };
}

export function atMost(goal: string, value: number, most: number): Goal {
  return { goal: `${goal} <= ${most}`, value: rounded(value), met: value <= most };
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}

/** Runs a shell command to its end. @returns its time, the CPU time of all its processes and the sum of their largest sizes */
export async function runShell(command: string, env: NodeJS.ProcessEnv): Promise<Sample> {
  const cpuBefore = childrenCpuMs();
  const started = performance.now();
  const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const sizes = new Map<number, number>();
  const look = () => {
    for (const pid of tree(child.pid!)) sizes.set(pid, Math.max(sizes.get(pid) ?? 0, peakRssMb(pid)));
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearInterval(timer));
  const wallMs = performance.now() - started;
  if (code !== 0) throw new Error(`\`${command}\` ended with ${code}`);
  return { wallMs, cpuMs: childrenCpuMs() - cpuBefore, rssMb: [...sizes.values()].reduce((a, b) => a + b, 0) };
}

/** @throws NotMeasured when the program is not on PATH */
export async function requireProgram(name: string): Promise<void> {
  const found = await runShell(`command -v ${name}`, process.env).catch(() => undefined);
  if (!found) throw new NotMeasured(`${name} is not installed`);
}

/** CPU time that a process and all its children, past and present, have used. For Postgres: that of the whole server. */
export function serverCpuMs(pid: number): number {
  for (;;) {
    const children = tree(pid).slice(1);
    const own = cpuTicks(pid);
    const ticks = children.reduce((sum, child) => sum + cpuTicks(child).self, own.self + own.waitedFor);
    // A child that ends in between is counted twice or not at all.
    if (tree(pid).slice(1).join() === children.join()) return toMs(ticks);
  }
}

/** The largest resident size that a process has had. */
export function peakRssMb(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readProc(`${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

export function parentOf(pid: number): number {
  return Number(statFields(pid)[1] ?? 0);
}

/** CPU time of this process's ended children, with that of their own children. */
function childrenCpuMs(): number {
  return toMs(cpuTicks(process.pid).waitedFor);
}

function cpuTicks(pid: number): { self: number; waitedFor: number } {
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = statFields(pid).slice(11, 15).map(Number);
  return { self: utime + stime, waitedFor: cutime + cstime };
}

/** The fields of /proc/<pid>/stat from the third (state) on; the second, the name, may hold spaces. Empty: no such process. */
function statFields(pid: number): string[] {
  const stat = readProc(`${pid}/stat`);
  return stat ? stat.slice(stat.lastIndexOf(')') + 2).split(' ') : [];
}

function tree(root: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = parentOf(Number(entry));
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(entry)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(childrenOf.get(pid) ?? []));
  return found;
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

function toMs(ticks: number): number {
  return (ticks * 1000) / TICKS_PER_SECOND;
}
