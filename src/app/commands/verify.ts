import { clearLine, cursorTo } from 'node:readline';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { openSession, requirePlan } from '../../../activities/runs/open-session.ts';
import { readConfig } from '../../platform/config.ts';
import { createEngine } from '../engine.ts';
import { engineOptions } from '../engine-options.ts';
import { CommandFailed } from '../../platform/errors.ts';
import {
  exportVerifier,
  type FindingKind,
  type VerifiedInterval,
  type VerifyRange,
} from '../../exports/deliveries/verify.ts';
import { parseDatetime } from '../../platform/http/parameters/datetime.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { fillFromRunningUp } from '../up/running-up.ts';

/** Kinds of findings that need attention; others result from changes at the source. */
const FAILING_KINDS = ['differing', 'missing', 'unchecked'] as const;

type Options = { from?: string; to?: string; deep: boolean; json: boolean };

export function verifyCommand(): Command {
  return new Command('verify')
    .summary('compare the deliveries of an export with its source and destination')
    .description(
      'Compares the rows of each delivered data interval, at the source and at the destination, with the receipt of its run. Reports ' +
        'separately what differs at the destination, what was deleted at the source since the delivery, what holds rows of persons who were ' +
        'erased since, what is stale (events were imported since), and with --from or --to what was never delivered. Changes nothing. Exit code: 0 if everything could be ' +
        'compared and nothing differs or is missing, else 1.',
    )
    .argument('<export>', 'id of the batch export')
    .option('--from <instant>', 'only intervals that begin at or after this instant, such as 2025-06-02T09:00Z')
    .option('--to <instant>', 'only intervals that end at or before this instant')
    .option('--deep', 'download and parse every byte instead of trusting sizes and checksums', false)
    .option('--json', 'print one line of JSON per interval, the summary last', false)
    .action(run);
}

async function run(exportId: string, options: Options): Promise<void> {
  const range = parseRange(options);
  const config = await fillFromRunningUp(readConfig());
  const engine = createEngine(engineOptions(config, createLogger(config, 'verify')));
  const neverAborted = new AbortController().signal;
  const verifier = exportVerifier({
    ...engine,
    openSession: async (deliveredRun) => openSession(engine, requirePlan(deliveredRun), neverAborted),
  });
  try {
    const batchExport = UUID.test(exportId) && (await engine.stores.batchExports.find(exportId));
    if (!batchExport) throw new CommandFailed(`There is no batch export ${exportId}.`);
    const bar = options.json ? undefined : progressBar(await verifier.count(exportId, range));
    const summary = await report(verifier.verify(exportId, range, options.deep), options.json, bar);
    console.log(options.json ? JSON.stringify({ batch_export: exportId, ...summary }) : table(summary, range));
    if (FAILING_KINDS.some((kind) => summary[kind] > 0)) process.exitCode = 1;
  } finally {
    await engine.close();
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws CommandFailed */
function parseRange(options: Options): VerifyRange {
  const [from, to] = (['from', 'to'] as const).map((name) => {
    const text = options[name];
    const instant = text === undefined ? null : parseDatetime(text)?.instant;
    if (instant !== undefined) return instant;
    throw new CommandFailed(`--${name} ${text} is not an instant like 2025-06-02T09:00:00Z.`);
  }) as [string | null, string | null];
  if (from !== null && to !== null && from >= to) throw new CommandFailed('--from must be before --to.');
  return { from, to };
}

/** Number of intervals by kind of finding; one interval may have several. */
type Summary = Record<'intervals' | 'rows' | 'ok' | FindingKind, number>;

/** Prints each interval as soon as its result is known; in text only those with findings. */
async function report(
  results: AsyncIterable<VerifiedInterval>,
  json: boolean,
  bar: SingleBar | undefined,
): Promise<Summary> {
  const summary: Summary = {
    intervals: 0,
    rows: 0,
    ok: 0,
    differing: 0,
    deleted: 0,
    erased: 0,
    stale: 0,
    missing: 0,
    expired: 0,
    unchecked: 0,
  };
  try {
    for await (const result of results) {
      summary.intervals += 1;
      summary.rows += result.rows ?? 0;
      if (result.findings.length === 0) summary.ok += 1;
      for (const kind of new Set(result.findings.map((finding) => finding.kind))) summary[kind] += 1;
      if (json) console.log(JSON.stringify(result));
      else printFindings(result, bar);
      bar?.update(summary.intervals - summary.missing);
    }
  } finally {
    bar?.stop();
  }
  return summary;
}

function printFindings({ start, end, findings }: VerifiedInterval, bar: SingleBar | undefined): void {
  if (findings.length > 0 && bar?.isActive && process.stderr.isTTY) {
    // The bar is drawn again below what is printed.
    clearLine(process.stderr, 0);
    cursorTo(process.stderr, 0);
  }
  for (const { kind, what, expected, found } of findings) {
    console.log(`[${start}, ${end})  ${kind}: ${what}`);
    if (expected !== undefined) console.log(`    delivered: ${expected}\n    found:     ${found}`);
  }
}

const LABELS: Record<keyof Summary, string> = {
  intervals: 'intervals',
  rows: 'rows delivered',
  ok: 'ok',
  differing: 'differing',
  deleted: 'deleted at the source since',
  erased: 'with erased persons',
  stale: 'stale',
  missing: 'missing',
  expired: 'source expired',
  unchecked: 'not checked',
};

function table(summary: Summary, { from }: VerifyRange): string {
  const width = Math.max(...Object.values(LABELS).map((label) => label.length));
  const isUnknown = (key: keyof Summary) => key === 'missing' && from === null;
  const countOf = (key: keyof Summary) =>
    isUnknown(key) ? 'not looked for (--from)' : summary[key].toLocaleString('en');
  return (Object.keys(LABELS) as (keyof Summary)[])
    .map((key) => `${LABELS[key].padEnd(width)}  ${countOf(key).padStart(10)}`)
    .join('\n');
}

/** Starts a progress bar, which cli-progress shows only on a terminal. */
function progressBar(total: number): SingleBar {
  const format = '{bar} {percentage}% · {value} of {total} intervals';
  const bar = new SingleBar({ format, barsize: 40, hideCursor: true, clearOnComplete: true, stream: process.stderr });
  bar.start(total, 0);
  return bar;
}
