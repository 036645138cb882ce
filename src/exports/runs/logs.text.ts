/** A log as text: a line for each entry, the oldest first. */
import { Readable } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../../platform/http/route.ts';
import type { LogEntry, LogFilter, LogStore } from './logs.store.ts';

/** Limit of one answer; longer logs take several requests, each starting where the previous one ended. */
export const MAX_LINES = 1_000_000;
const LINES_AT_ONCE = 5_000;

export const TEXT = 'text/plain';

/** Whether a client asks for text before anything else. */
export function prefersText({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.split(/[,;]/, 1)[0]!.trim().toLowerCase() === TEXT;
}

/** @param name name of the file without its extension */
export function textAnswer(
  logs: Pick<LogStore, 'streamAll'>,
  filter: LogFilter,
  name: string,
  limit = MAX_LINES,
): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': `${TEXT}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}.log"`,
    },
    body: Readable.from(lines(logs, filter, limit)),
  };
}

async function* lines(logs: Pick<LogStore, 'streamAll'>, filter: LogFilter, max: number): AsyncGenerator<string> {
  let count = 0;
  let last: LogEntry | undefined;
  for await (const entries of logs.streamAll(filter, { max, batchSize: LINES_AT_ONCE })) {
    count += entries.length;
    last = entries.at(-1);
    yield entries.map(lineOf).join('');
  }
  if (count === max && last) yield `# Ended after ${max} lines. Go on with after=${last.timestamp}.\n`;
}

/** An entry as one line, with control characters escaped, because they could fake further lines. */
function lineOf({ timestamp, level, attempt, message }: LogEntry): string {
  // tooth: one-line-each
  const oneLine = message.replaceAll(/[\p{Cc}\u2028\u2029]/gu, escapeCharacter);
  return `${timestamp} ${level.padEnd(7)} ${attempt === null ? '-' : `#${attempt}`} ${oneLine}\n`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
