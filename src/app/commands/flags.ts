import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { readConfig, type Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { apiClient, type ApiClient } from '../../flags/import/api-client.ts';
import { importFlags, type Export } from '../../flags/import/import.ts';
import { addToSummary, emptySummary, lineOf, printable, printableJson, summaryLine } from '../../flags/import/lines.ts';
import type { Outcome } from '../../flags/import/outcome.ts';
import { readLists } from '../../flags/import/read-list.ts';
import { readServer } from '../../flags/import/read-server.ts';
import { RETRY } from '../../platform/sending/retry.ts';
import { readReport, REPORT_FILE } from '../up/report.ts';

/** Exit code if items were refused or are incomplete, as opposed to success (0) and failure (1). */
const EXIT_INCOMPLETE = 2;

/** Limit of the characters of an error or a warning. */
const MAX_MESSAGE = 2000;
const WAIT_REPORT_INTERVAL_MS = 15_000;

type Options = {
  cohorts?: string[];
  from?: string;
  fromProject?: string;
  fromKeyFile?: string;
  url?: string;
  project?: string;
  keyFile?: string;
  update: boolean;
  dryRun: boolean;
  json: boolean;
};

export function flagsCommand(): Command {
  return new Command('flags')
    .summary('import feature flags from PostHog, or from another Sluice')
    .description('Everything else about flags is done through the API: docs/feature-flags.md.')
    .addCommand(importCommand());
}

function importCommand(): Command {
  return new Command('import')
    .summary('import flags, and the cohorts that they reference')
    .description(
      'Copies flags, and the cohorts that they reference, through the API of a running server. Each file is a response of the source to ' +
        'GET /api/projects/:id/feature_flags/?limit=1000 (--cohorts: …/cohorts/?limit=1000). Flags are matched by key and cohorts by ' +
        'name; existing ones are not created again, so run the command again to continue an interrupted import. Exit code: 0 if everything ' +
        'was imported, 2 if an item was refused, an encrypted payload is missing or the files lack a page, 1 if the import stopped. ' +
        'API keys come from SLUICE_API_KEY and POSTHOG_API_KEY, or from files. See docs/feature-flags.md.',
    )
    .argument('[files...]', 'JSON files with lists of flags; - for standard input')
    .option('--cohorts <files...>', 'JSON files with lists of cohorts')
    .option('--from <address>', 'read from this server instead of files, with the key in POSTHOG_API_KEY')
    .option('--from-project <id>', 'id of the project on the --from server')
    .option('--from-key-file <file>', 'file with the key for --from')
    .option('--url <address>', 'server to import into (default: the one that `sluice up` runs here)')
    .option(
      '--project <id>',
      'project to import into (default: the one from `sluice up` here, else the key’s only project)',
    )
    .option('--key-file <file>', 'file with the key for --url, instead of SLUICE_API_KEY')
    .option('--update', 'update existing flags and cohorts that differ', false)
    .option('--dry-run', 'validate and print the plan without writing anything', false)
    .option('--json', 'print one line of JSON per flag and cohort, then the summary', false)
    .action((files: string[], options: Options) => run(files, options).catch(failPrintably));
}

/** Escapes an error's message, because errors quote text from servers, files and file names. */
function failPrintably(error: unknown): never {
  if (!(error instanceof CommandFailed)) throw error;
  throw new CommandFailed(printable(error.message, MAX_MESSAGE), { cause: error });
}

async function run(files: string[], options: Options): Promise<void> {
  const config = readConfig();
  const { json, dryRun, update } = options;
  const target = await createTargetClient(options, config);
  const { warning, ...exported } =
    options.from === undefined ? await readFiles(files, options) : await readSource(files, options, config);
  if (warning !== undefined) console.error(warning);
  const summary = emptySummary();
  for await (const outcome of importFlags(exported, target, { update, dryRun })) {
    addToSummary(summary, outcome);
    console.log(json ? printableJson(JSON.stringify(jsonOf(outcome))) : lineOf(outcome, dryRun));
  }
  console.log(json ? printableJson(JSON.stringify({ ...summary, dry_run: dryRun })) : summaryLine(summary, dryRun));
  if (summary.incomplete > 0 || warning !== undefined) process.exitCode = EXIT_INCOMPLETE;
}

function jsonOf({ sourceId, notImported, withoutPayload, ...fields }: Outcome): Record<string, unknown> {
  return { ...fields, source_id: sourceId, left_out: notImported, without_payload: withoutPayload };
}

/** Lists to import, and a warning if pages of them are missing. */
type ExportWithWarning = Export & { warning?: string | undefined };

async function readFiles(
  files: readonly string[],
  { cohorts, fromProject, fromKeyFile }: Options,
): Promise<ExportWithWarning> {
  if (files.length === 0) throw new CommandFailed('Give a file of flags, or a server with --from.');
  if (fromProject !== undefined || fromKeyFile !== undefined) {
    throw new CommandFailed('--from-project and --from-key-file need --from.');
  }
  const flags = await readLists(files, 'flag');
  const readCohorts = cohorts && (await readLists(cohorts, 'cohort'));
  const warnings = [flags.warning, readCohorts?.warning].filter((warning) => warning !== undefined);
  const warning = warnings.map((message) => printable(message, MAX_MESSAGE)).join('\n') || undefined;
  return { flags: flags.items, cohorts: readCohorts?.items, warning };
}

async function readSource(files: readonly string[], options: Options, config: Config): Promise<ExportWithWarning> {
  const { from = '', fromProject, fromKeyFile, cohorts } = options;
  if (files.length > 0 || cohorts) throw new CommandFailed('Give files, or a server with --from, not both.');
  if (fromProject === undefined) throw new CommandFailed('--from needs --from-project, the id of the project there.');
  const source = apiClient({
    url: safeAddress(from, '--from'),
    project: projectId(fromProject, '--from-project'),
    ...(await findKey(fromKeyFile, config.POSTHOG_API_KEY, {
      variable: 'POSTHOG_API_KEY',
      server: `${from}, the server of --from`,
      option: '--from-key-file',
    })),
    retry: RETRY,
    onWait: createWaitReporter(from),
  });
  return readServer(source);
}

async function createTargetClient({ url, project, keyFile }: Options, config: Config): Promise<ApiClient> {
  const report = url === undefined ? await readReport(config.SLUICE_STATE_DIR) : undefined;
  const serverAddress = url ?? report?.api_url;
  if (serverAddress === undefined) {
    const file = path.join(config.SLUICE_STATE_DIR, REPORT_FILE);
    throw new CommandFailed(`There is no ${file}: start a server here with "npm start", or give --url.`);
  }
  const key =
    report && keyFile === undefined ? (config.SLUICE_API_KEY ?? report.personal_api_key) : config.SLUICE_API_KEY;
  return apiClient({
    // The URL in the report is of this machine, whatever its address, so it may be http.
    url: report ? httpAddress(serverAddress, '--url').href : safeAddress(serverAddress, '--url'),
    project: projectId(project ?? (report ? String(report.project_id) : '@current'), '--project'),
    ...(await findKey(keyFile, key, {
      variable: 'SLUICE_API_KEY',
      server: `${serverAddress}, the server to import into`,
      option: '--key-file',
    })),
    retry: RETRY,
    onWait: createWaitReporter(serverAddress),
  });
}

/** The variable and the option that name the key of a server, for errors. */
type KeySource = { variable: string; server: string; option: string };

/** Reads the key from a file first, because the environment may hold a key for something else. */
async function findKey(
  file: string | undefined,
  configuredKey: string | undefined,
  { variable, server, option }: KeySource,
) {
  const keyName = file ?? variable;
  const text = file === undefined ? configuredKey : await readKey(file);
  if (text === undefined)
    throw new CommandFailed(
      `${variable} is not set. Set it to an API key of ${server}, or name a file with the key: ${option}.`,
    );
  const key = text.trim();
  if (!/^[\x21-\x7e]{1,1000}$/.test(key))
    throw new CommandFailed(`${keyName} does not contain a key: one word is expected.`);
  return { key, keyName };
}

async function readKey(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(`${file} cannot be read (${error.code}).`);
  });
}

function projectId(text: string, option: string): string {
  if (/^([1-9]\d{0,9}|@current)$/.test(text)) return text;
  throw new CommandFailed(`${option} ${text} is not the id of a project.`);
}

function httpAddress(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new CommandFailed(`${option} ${text} is not an address like https://eu.posthog.com.`);
  }
  if (url.username !== '' || url.password !== '')
    throw new CommandFailed(`${option} may not contain a user or password.`);
  return url;
}

/** Refuses http except to this machine, because the key must not be sent unencrypted. */
function safeAddress(text: string, option: '--from' | '--url'): string {
  const url = httpAddress(text, option);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  // tooth: source-key-in-the-open
  if (url.protocol !== 'https:' && !isHere)
    throw new CommandFailed(`${option} must use https unless it is on this machine, because the key is sent there.`);
  return url.href;
}

/** Reports waits, but not at each attempt. */
function createWaitReporter(serverAddress: string): (reason: string) => void {
  let reportedAt = -Infinity;
  return (reason) => {
    if (performance.now() - reportedAt < WAIT_REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    console.error(printable(`Waiting for ${serverAddress}: ${reason}.`, MAX_MESSAGE));
  };
}
