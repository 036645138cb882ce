/** `npm run example -- access.log.gz`: the main job on your own log. See examples/README.md. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MultiBar, type SingleBar } from 'cli-progress';
import { Command, Option } from 'commander';
import type { Backfill, Range } from './api.ts';
import { hourAt } from './log.ts';
import { checkAccessLog, type DestinationReport, type Report } from './check.ts';
import type { S3Place } from './files.ts';

type Flags = {
  connection: string;
  from?: string;
  to?: string;
  local: boolean;
  s3Endpoint?: string;
  s3Bucket: string;
  s3Region: string;
  s3AccessKeyId?: string;
  s3SecretAccessKey?: string;
  postgresUrl?: string;
};

/** Connection as `npm start` writes it to `.sluice/dev.json`; for another server, write such a file yourself. */
type Connection = { api_url: string; project_id: number; project_api_key: string; personal_api_key: string };

const defaultConnection = path.join(process.env['SLUICE_STATE_DIR'] ?? '.sluice', 'dev.json');

const command = new Command('access-log')
  .description('Sends a log twice, exports it to every destination named, checks every row, and does it again.')
  .argument('<log>', 'a log in the combined log format, plain or gzip')
  .option('--connection <file>', 'address and keys of a running server', defaultConnection)
  .option('--from <instant>', 'start of the backfill, on the hour (default: the log’s first hour)')
  .option('--to <instant>', 'end of the backfill, on the hour (default: the log’s last hour)')
  .option('--no-local', 'do not export to local files')
  .option('--s3-endpoint <url>', 'export to this S3-compatible store too')
  .option('--s3-bucket <name>', 'a bucket that exists', 'sluice')
  .option('--s3-region <name>', 'its region', 'us-east-1')
  .addOption(new Option('--s3-access-key-id <id>').env('AWS_ACCESS_KEY_ID'))
  .addOption(new Option('--s3-secret-access-key <key>').env('AWS_SECRET_ACCESS_KEY'))
  .addOption(new Option('--postgres-url <url>', 'export to this Postgres database too').env('POSTGRES_URL'))
  .action(run);

try {
  await command.parseAsync();
} catch (error) {
  // A sentence, no more: what libraries print with their stacks may hold keys. Node's failures to connect may have only a code.
  const { message, code } = error as NodeJS.ErrnoException;
  console.error(`access-log: ${message === '' ? code : message}`);
  process.exit(1);
}

async function run(log: string, flags: Flags): Promise<void> {
  const connection = await readConnection(flags.connection);
  const s3 = s3Of(flags);
  const bars = progressBars();
  const report = await checkAccessLog({
    log,
    apiUrl: connection.api_url,
    personalApiKey: connection.personal_api_key,
    projectApiKey: connection.project_api_key,
    projectId: connection.project_id,
    range: rangeOf(flags),
    ...(flags.local && { localRoot: path.join(path.dirname(flags.connection), 'exports') }),
    ...(s3 && { s3 }),
    ...(flags.postgresUrl !== undefined && { postgresUrl: flags.postgresUrl }),
    onStep: (sentence) => console.log(sentence),
    onProgress: bars.show,
  }).finally(bars.stop);
  print(report);
  if (report.destinations.some(({ differences }) => differences.length > 0)) process.exitCode = 1;
}

async function readConnection(file: string): Promise<Connection> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Connection;
  } catch {
    throw new Error(`${file} is no file of a running server: start one here with "npm start", or give --connection.`);
  }
}

function rangeOf({ from, to }: Flags): Partial<Range> {
  return { ...(from !== undefined && { from: hourAt(from) }), ...(to !== undefined && { to: hourAt(to) }) };
}

function s3Of(flags: Flags): S3Place | undefined {
  if (flags.s3Endpoint === undefined) return undefined;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = flags;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error('Give AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for the store.');
  }
  return { endpoint: flags.s3Endpoint, bucket: flags.s3Bucket, region: flags.s3Region, accessKeyId, secretAccessKey };
}

/** One bar for each destination, on a terminal. */
function progressBars() {
  if (!process.stderr.isTTY) return { show() {}, stop() {} };
  const bars = new MultiBar({ format: '{title} {bar} {value}/{total} runs', gracefulExit: false });
  const barOf = new Map<string, SingleBar>();
  return {
    show(title: string, { progress }: Backfill) {
      const bar = barOf.get(title) ?? bars.create(0, 0, { title: title.padEnd(9) });
      barOf.set(title, bar);
      bar.setTotal(progress.total_runs);
      bar.update(progress.finished_runs);
    },
    stop: () => bars.stop(),
  };
}

function print({ requests, badLines, destinations }: Report): void {
  console.log(`\nIn the log: ${requests} requests.`);
  if (badLines > 0) console.log(`Lines left out, as they are not in the combined log format: ${badLines}.`);
  console.table(Object.fromEntries(destinations.map((found) => [found.title, rowOf(found)])));
  for (const { title, differences } of destinations) {
    for (const difference of differences) console.error(`${title}: ${difference}`);
  }
}

function rowOf({ intervals, rows, differences, exportId }: DestinationReport) {
  return { intervals, rows, differences: differences.length, 'batch export': exportId };
}
