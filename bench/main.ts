/**
 * `npm run bench [-- name …] [--large] [--json]`: runs the named benchmarks, or all of them.
 * Exits with 1 when one, or a part of it, could not be measured or did not do its work. A goal that is missed is printed, not an error.
 */
import { parseArgs } from 'node:util';
import { NotMeasured, type Bench, type BenchResult } from './measure.ts';

const BENCHES: Record<string, () => Promise<{ bench: Bench }>> = {
  claims: () => import('./capture/claims.ts'),
  capture: () => import('./capture/capture.ts'),
  console: () => import('./console.ts'),
  decide: () => import('./decide/decide.ts'),
  destinations: () => import('./export/destinations.ts'),
  'event-names': () => import('./export/event-names.ts'),
  export: () => import('./export/export.ts'),
  overload: () => import('./capture/overload.ts'),
  'large-bodies': () => import('./capture/large-bodies.ts'),
  memory: () => import('./memory.ts'),
  runs: () => import('./export/runs.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, large: { type: 'boolean', default: false } },
});

for (const name of positionals.length > 0 ? positionals : Object.keys(BENCHES)) await run(name);

async function run(name: string): Promise<void> {
  const load = BENCHES[name];
  if (!load) return fail(`There is no benchmark ${name}: ${Object.keys(BENCHES).join(', ')}`);
  try {
    const { bench } = await load();
    const result = await bench({ large: values.large, log: (line) => values.json || console.error(`  ${line}`) });
    console.log(values.json ? JSON.stringify(result) : table(result));
    for (const missing of result.missing ?? []) fail(`${name}: not measured: ${missing}`);
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error;
    fail(`${name}: not measured: ${error.message}`);
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

function table({ name, cases, goals }: BenchResult): string {
  const width = Math.max(name.length, ...cases.map((row) => row.case.length), ...goals.map(({ goal }) => goal.length));
  const row = (label: string, ...cells: string[]) =>
    `${label.padEnd(width)}  ${cells.map((cell) => cell.padStart(6)).join('  ')}`;
  return [
    row(name, 'wall', 'cpu', 'MB'),
    ...cases.map((result) =>
      row(result.case, result.wall_ratio.toFixed(2), result.cpu_ratio.toFixed(2), String(result.rss_mb)),
    ),
    ...goals.map(({ goal, value, met }) => row(goal, String(value), met ? 'met' : 'missed')),
  ].join('\n');
}
