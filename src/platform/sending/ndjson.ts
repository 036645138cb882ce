/** Newline-delimited JSON: one event a line, in the form that `POST /batch/` takes. */
import { BadLine, type Reading } from './reading.ts';

/**
 * Keeps the line as written (numbers keep every digit) and only adds a missing uuid in front; a line whose uuid is null is written anew.
 * The server decides whether an event is valid.
 * @throws BadLine when the line is not a JSON object
 */
export function readNdjsonLine(line: string): Reading {
  const event = parseObject(line);
  const time = typeof event['timestamp'] === 'string' ? Date.parse(event['timestamp']) : Number.NaN;
  const hasUuid = event['uuid'] !== undefined && event['uuid'] !== null;
  return {
    timeMs: Number.isNaN(time) ? undefined : time,
    hasUuid,
    json(uuid) {
      if (hasUuid) return line;
      if ('uuid' in event) return JSON.stringify({ ...event, uuid });
      const rest = line.trimStart().slice(1);
      return `{"uuid":"${uuid}"${Object.keys(event).length > 0 ? ',' : ''}${rest}`;
    },
  };
}

function parseObject(line: string): Record<string, unknown> {
  const value = parse(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadLine('not a JSON object');
  return value as Record<string, unknown>;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new BadLine('not valid JSON');
  }
}
