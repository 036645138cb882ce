import path from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { readAccessLogLine } from '../../platform/sending/access-log.ts';
import { openInput, type Input } from '../../platform/sending/input.ts';
import { readNdjsonLine } from '../../platform/sending/ndjson.ts';
import type { ReadLine } from '../../platform/sending/reading.ts';
import { RETRY } from '../../platform/sending/retry.ts';
import { sendFile, type FileSummary } from '../../platform/sending/send-file.ts';
import { createSender } from '../../platform/sending/sender.ts';
import { readReport, REPORT_FILE } from '../up/report.ts';

const FORMATS: Record<string, ReadLine> = { ndjson: readNdjsonLine, 'access-log': readAccessLogLine };

/** Maximum uncompressed size of a batch; far below the server's limit. */
const BATCH_BYTES = 2 * 1024 * 1024;

/** Minimum interval between reports of an outage, so not every attempt prints a line. */
const REPORT_EVERY_MS = 15_000;

/** Exit code if everything except bad lines was sent, as opposed to success (0) and failure (1). */
const EXIT_BAD_LINES = 2;

type Options = {
  format: string;
  historical: boolean;
  url?: string;
  key?: string;
  secretKey?: string;
  batchSize: number;
  concurrency: number;
  json: boolean;
};

export function captureCommand(): Command {
  return new Command('capture')
    .summary('send a file of events to a running server')
    .description(
      'Sends a file of events to a running server. It is safe to send a file again: each event has a uuid, its own or one derived from ' +
        'its line, and is stored only once. Gzip files are detected by their content. Exit code: 0 if all lines were sent, 2 if all but ' +
        'bad lines were sent, 1 if sending stopped.',
    )
    .argument('<file>', 'path of the file, or - for standard input')
    .addOption(
      new Option('--format <format>', 'ndjson: one JSON event per line; access-log: the combined log format')
        .choices(Object.keys(FORMATS))
        .default('ndjson'),
    )
    .option(
      '--historical',
      'import history: place each event at its own timestamp, not at the time it is received',
      false,
    )
    .option('--url <url>', 'address of the server (default: the one that `sluice up` runs here)')
    .option('--key <key>', 'project API key (default: the one from `sluice up` here)')
    .option(
      '--secret-key <key>',
      'personal or project secret key, for --historical on servers that do not accept the project key for it',
    )
    .option('--batch-size <events>', 'events per request', numberBetween(1, 10_000), 500)
    .option('--concurrency <requests>', 'number of concurrent requests', numberBetween(1, 64), 4)
    .option('--json', 'print the summary as JSON', false)
    .action(capture);
}

async function capture(file: string, options: Options): Promise<void> {
  const started = performance.now();
  const { url, key } = await findTarget(options);
  const input = await openInput(file);
  const bar = options.json ? undefined : progressBar(input);
  let retries = 0;
  let reportedAt = -Infinity;
  const reportRetry = (reason: string) => {
    retries += 1;
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    console.error(`The server does not accept events (${reason}). Retrying for up to five minutes.`);
  };
  const send = createSender({
    url,
    key,
    secretKey: options.secretKey,
    historical: options.historical,
    retry: RETRY,
    onRetry: reportRetry,
  });

  const summary = await sendFile({
    bytes: input.bytes,
    readLine: FORMATS[options.format] ?? readNdjsonLine,
    limits: { events: options.batchSize, bytes: BATCH_BYTES },
    concurrency: options.concurrency,
    send,
    onProgress: ({ sent }) => bar?.update(input.bytesRead(), { sent: sent.toLocaleString('en') }),
  }).finally(() => bar?.stop());

  const seconds = (performance.now() - started) / 1000;
  if (options.json) printJson(summary, retries, seconds);
  else printText(summary, retries, seconds);
  if (summary.badLines > 0) process.exitCode = EXIT_BAD_LINES;
}

/** Returns server and key from the options, or else those of the server that `sluice up` runs from this folder. */
async function findTarget({ url, key }: Options): Promise<{ url: string; key: string }> {
  if (url !== undefined && !URL.canParse(url))
    throw new CommandFailed(`--url ${url} is not an address like http://127.0.0.1:8000.`);
  if (url !== undefined && key !== undefined) return { url, key };
  const folder = readConfig().SLUICE_STATE_DIR;
  const report = await readReport(folder);
  if (!report) {
    const file = path.join(folder, REPORT_FILE);
    throw new CommandFailed(`There is no ${file}: start a server here with "npm start", or give --url and --key.`);
  }
  return { url: url ?? report.api_url, key: key ?? report.project_api_key };
}

/**
 * Starts a progress bar, which cli-progress shows only on a terminal. For standard input, whose size is unknown, only the counts change.
 * `gracefulExit` is off because it would intercept Ctrl-C.
 */
function progressBar({ totalBytes }: Input): SingleBar {
  const format = totalBytes === undefined ? '{sent} events sent' : '{bar} {percentage}% · {sent} events sent';
  const bar = new SingleBar({ format, barsize: 40, gracefulExit: false });
  bar.start(totalBytes ?? 1, 0, { sent: 0 });
  return bar;
}

function printJson(
  { lines, sent, batches, badLines, firstBadLines }: FileSummary,
  retries: number,
  seconds: number,
): void {
  const rounded = Number(seconds.toFixed(3));
  const report = {
    lines,
    sent,
    batches,
    retries,
    bad_lines: badLines,
    first_bad_lines: firstBadLines,
    seconds: rounded,
  };
  console.log(JSON.stringify(report));
}

function printText(
  { lines, sent, batches, badLines, firstBadLines }: FileSummary,
  retries: number,
  seconds: number,
): void {
  for (const { line, reason } of firstBadLines) console.error(`line ${line}: ${reason}`);
  if (badLines > firstBadLines.length) console.error(`and ${badLines - firstBadLines.length} more bad lines`);
  const counts = [
    plural(lines, 'line'),
    `${sent.toLocaleString('en')} sent in ${plural(batches, 'batch', 'batches')}`,
    plural(retries, 'retry', 'retries'),
    plural(badLines, 'bad line'),
  ];
  console.log(`${counts.join(', ')}, ${seconds.toFixed(1)} s`);
}

function plural(count: number, singular: string, pluralForm = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : pluralForm}`;
}

function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}
