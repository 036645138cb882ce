/** Every environment variable that Sluice reads, as one schema; the only file that reads `process.env`. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { CommandFailed } from './errors.ts';
import { compile, stringEnum, Type, type Static } from './schema.ts';
import { EgressVariables } from './egress-variables.ts';
import { TraceVariables } from './trace-variables.ts';

const Port = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: fallback, description: `${description} 0: any that is free.` });

const MetricsPort = (role: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: `Port on which ${role} serves metrics for Prometheus, at \`/metrics\`. Unset: nowhere. 0: any that is free.`,
  });

const Processes = (role: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 1,
    description: `${role} that run on this database: at start the log warns if Postgres grants too few connections for all.`,
  });

/** Default of EXPORT_FILE_GRACE_HOURS. */
export const DEFAULT_FILE_GRACE_HOURS = 24;

const WEB_ADDRESS = '^https?://[^\\s/?#]+';

const EventsPerSecond = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 50_000, description });

const Days = (fallback: number, rows: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: fallback,
    description: `Days after which ${rows} are deleted. 0: never.`,
  });

export const Environment = Type.Object({
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'Postgres 15 or newer. Unset: `sluice up` runs its own.',
    }),
  ),
  TEMPORAL_ADDRESS: Type.Optional(
    Type.String({ description: 'host:port of Temporal. Unset: `sluice up` runs its own.' }),
  ),
  TEMPORAL_NAMESPACE: Type.String({ default: 'sluice', description: 'Temporal namespace.' }),
  TEMPORAL_UI_URL: Type.Optional(
    Type.String({ pattern: WEB_ADDRESS, description: 'Where people find Temporal’s UI, for links.' }),
  ),
  TEMPORAL_CODEC_TOKEN: Type.Optional(
    Type.String({
      pattern: '^[\\w-]{16,}$',
      description:
        'Lets Temporal’s UI show payloads, which it has the API decrypt at `/_codec/<token>`, for pages of TEMPORAL_UI_URL only. Unset: payloads stay encrypted. `sluice up` makes one.',
    }),
  ),
  SLUICE_STATE_DIR: Type.String({ default: '.sluice', description: 'Where `sluice up` keeps its servers’ state.' }),
  SLUICE_HOST: Type.String({ default: '127.0.0.1', description: 'Address that the API listens on.' }),
  SLUICE_PORT: Port(8000, 'Port of the API.'),
  SLUICE_FAST_PATH: stringEnum(['on', 'off'], {
    default: 'on',
    description:
      'Whether capture and flag decisions are also answered in front of Node’s HTTP server; `off` takes more CPU and changes no answer.',
  }),
  SLUICE_PUBLIC_URL: Type.Optional(
    Type.String({ pattern: WEB_ADDRESS, description: 'Address under which clients reach the API, for links.' }),
  ),
  SLUICE_POSTGRES_PORT: Port(5455, 'Port of the embedded Postgres.'),
  SLUICE_TEMPORAL_PORT: Port(7233, 'Port of the embedded Temporal server.'),
  SLUICE_TEMPORAL_UI_PORT: Port(8233, 'Port of the embedded Temporal server’s UI.'),
  SLUICE_ENCRYPTION_KEYS: Type.Optional(
    Type.String({
      description:
        'Key ring for credentials at rest: `id:base64 of 32 bytes`, comma-separated, the newest first; `id:lost` for a lost key. `sluice up` makes one.',
    }),
  ),
  SLUICE_API_KEY: Type.Optional(
    Type.String({
      description:
        'Personal or project secret key with which `sluice flags import` writes. Unset: the key that `npm start` made in this folder.',
    }),
  ),
  POSTHOG_API_KEY: Type.Optional(
    Type.String({ description: 'Personal key of the server that `sluice flags import --from` reads.' }),
  ),
  SLUICE_API_PROCESSES: Processes('API processes'),
  SLUICE_WORKER_PROCESSES: Processes('Workers'),
  SLUICE_WORKER_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 4,
    description: 'Activities at once in one worker.',
  }),
  EXPORT_LOCAL_ROOT: Type.Optional(
    Type.String({
      description: 'Folder for the LocalFile destination; unset, the type does not exist. `sluice up` sets it.',
    }),
  ),
  EXPORT_RUNS_PER_PROJECT: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 40,
    description: 'Requested runs of one project (backfills, retries, gaps) that are under way at once.',
  }),
  EXPORT_BACKFILLS_PER_PROJECT: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 10,
    description:
      'Unfinished backfills of one project; further requests get 429, and the backfill after an unpause waits.',
  }),
  EXPORT_LOCAL_QUOTA_MB: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'MiB that one project’s files may take in EXPORT_LOCAL_ROOT. Unset: no limit.',
    }),
  ),
  EXPORT_LOCAL_FILE_MODE: Type.String({
    pattern: '^0?[0-7]{3}$',
    default: '640',
    description:
      'Rights of files in EXPORT_LOCAL_ROOT, in octal, as far as the umask leaves them; folders may be entered where files may be read.',
  }),
  EXPORT_FILE_GRACE_HOURS: Type.Integer({
    minimum: 1,
    maximum: 8_760,
    default: DEFAULT_FILE_GRACE_HOURS,
    description: 'Hours for which replaced files stay readable, in Iceberg tables and `versioned` layouts.',
  }),
  RETENTION_EXPORT_LOG_DAYS: Days(90, 'log lines of exports'),
  RETENTION_RUN_DETAIL_DAYS: Days(90, 'attempts and staged parts of runs, and answered run requests'),
  RETENTION_RUN_DAYS: Days(400, 'runs whose delivery a later one has replaced, with all that belongs to them,'),
  RETENTION_FLAG_REQUEST_DAYS: Days(400, 'counts of requests for flags'),
  RETENTION_AUDIT_LOG_DAYS: Days(0, 'entries of the audit log'),
  RETENTION_EVENT_DAYS: Days(0, 'events whose project has no `event_retention_days`'),
  ...EgressVariables,
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      description: 'Mail server for notifications, `smtp://user:password@host:port` or `smtps://…`. Unset: no mail.',
    }),
  ),
  MAIL_FROM: Type.String({ default: 'sluice@localhost', description: 'Address that mail comes from.' }),
  TRUSTED_PROXIES: Type.String({
    default: '',
    description:
      'Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted, comma-separated. Empty: the address of a client is that of its connection.',
  }),
  GEOIP_DB_PATH: Type.Optional(
    Type.String({
      description:
        'MaxMind database (`.mmdb`) of cities or countries; unset, events get no `$geoip_*` properties. Read when the API starts.',
    }),
  ),
  CAPTURE_PROJECT_EVENTS_PER_SECOND: EventsPerSecond(
    'Events that an API process takes of one project, ten seconds’ worth at once; above it 429.',
  ),
  CAPTURE_KEY_EVENTS_PER_SECOND: EventsPerSecond(
    'The same for each secret key that sends historical events, which do not count towards the limit of their project.',
  ),
  PERSON_DISTINCT_IDS: Type.Integer({
    minimum: 2,
    maximum: 100_000,
    default: 1_000,
    description:
      'Distinct ids that a person may get by `$identify`, aliases and merges; beyond it, events are stored but no longer merge persons.',
  }),
  FLAGS_PROJECT_REQUESTS_PER_SECOND: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 5_000,
    description:
      'Requests for flags that an API process answers for one project, ten seconds’ worth at once; above it 429.',
  }),
  KEY_REQUESTS_PER_MINUTE: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 480,
    description: 'Requests that an API process answers for one API key in any minute; above it 429.',
  }),
  KEY_REQUESTS_PER_HOUR: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 4_800,
    description: 'The same in any hour. Capture and flags are not counted.',
  }),
  SLUICE_METRICS_HOST: Type.String({ default: '127.0.0.1', description: 'Address that `/metrics` is served on.' }),
  SLUICE_METRICS_PORT: Type.Optional(MetricsPort('the API')),
  SLUICE_WORKER_METRICS_PORT: Type.Optional(MetricsPort('a worker')),
  ...TraceVariables,
  LOG_LEVEL: stringEnum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'Least severe level that is logged.',
  }),
});

export type Config = Static<typeof Environment>;

const valid = compile(Environment);

/** Suffix of variables that name a file with the value: `DATABASE_URL_FILE`. */
const FILE_SUFFIX = '_FILE';

/**
 * Reads and checks the environment; empty variables count as unset.
 * @throws CommandFailed naming every variable that is wrong and what it should be
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const config: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(Environment.properties) as [string, { type?: string }][]) {
    const text = valueOf(name, environment);
    if (text === '') continue;
    config[name] = schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
  }
  if (valid(config)) return config;
  const problems = (valid.errors ?? []).map((error) => `${error.instancePath.slice(1)} ${error.message}`);
  throw new CommandFailed(`The environment is not valid: ${problems.join('; ')}.`);
}

/**
 * Returns the value of a variable, or the content of its file without the line break at the end; empty if neither is set.
 * @throws CommandFailed if both are set, or the file cannot be read
 */
function valueOf(name: string, environment: NodeJS.ProcessEnv): string {
  const value = environment[name] ?? '';
  const file = environment[name + FILE_SUFFIX] ?? '';
  if (file === '') return value;
  if (value !== '') throw new CommandFailed(`${name} and ${name}${FILE_SUFFIX} are both set. Unset one of them.`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailed(`${name}${FILE_SUFFIX} names a file that cannot be read (${code}): ${file}.`);
  }
}

/**
 * Returns a variable that this command requires.
 * @throws CommandFailed saying what the variable is for
 */
export function requireVariable<K extends keyof Config>(config: Config, name: K): NonNullable<Config[K]> {
  const value = config[name];
  if (value !== undefined) return value as NonNullable<Config[K]>;
  const { description } = Environment.properties[name] as { description?: string };
  throw new CommandFailed(`${name} is not set. ${description} \`npm start\` runs everything without it.`);
}

/** Returns the entries of a comma-separated variable. */
export function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Folder for programs and files that are downloaded or built once for this user: `${XDG_CACHE_HOME:-~/.cache}/sluice`. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return path.join(environment['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'sluice');
}

/** Folders in which programs are looked for: the folders of PATH, then Sluice's cache. */
export function programFolders(environment: NodeJS.ProcessEnv = process.env): string[] {
  const onPath = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return [...onPath, path.join(cacheFolder(environment), 'bin')];
}

/** Our own environment with changes, for a child process; undefined removes a variable. A changed variable comes from no file. */
export function environmentWith(changes: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const withoutFiles = Object.keys(changes).map((name) => [name + FILE_SUFFIX, undefined] as const);
  return { ...process.env, ...Object.fromEntries(withoutFiles), ...changes };
}
