/** Logs for machines: one JSON object a line on stderr, so stdout is free for a command's output. */
import { destination, pino, stdTimeFunctions, type LogFn, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { describeError } from '../secrets/redact.ts';

export type { Logger };

/** Keys whose values never leave the process, wherever a caller puts them (the top level and one below). */
const SECRET_KEYS = [
  'password',
  'passphrase',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'api_token',
  'authorization',
  'Authorization',
  'cookie',
  'access_key_id',
  'secret_access_key',
  'private_key',
  'database_url',
  'DATABASE_URL',
  'SLUICE_ENCRYPTION_KEYS',
];

/**
 * A logger whose lines carry `name`, the role or room that writes them; `logger.child({ run_id })` adds more.
 * @param stream where lines go instead of stderr
 */
export function createLogger(
  config: Pick<Config, 'LOG_LEVEL'>,
  name: string,
  stream: { write(line: string): void } = destination({ dest: 2, sync: true }),
): Logger {
  return pino(
    {
      name,
      level: config.LOG_LEVEL,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`]), censor: '[redacted]' },
      // The library's own serializer would write every property of an error.
      serializers: { err: describeError },
      hooks: { logMethod: withoutTheirMessage },
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

/** Keeps the library from using an error's message as the line's message if there is none. */
function withoutTheirMessage(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, text] = args as unknown as [unknown, string | undefined];
  const line = first instanceof Error ? { err: first } : first;
  const isError = typeof line === 'object' && line !== null && 'err' in line;
  if (isError && text === undefined) method.call(this, line, 'an error');
  else method.apply(this, [line, ...args.slice(1)] as unknown as Parameters<LogFn>);
}
