/** Last line of defence for logs: whatever gets there, keys and passwords do not, nor what other people's software says. */
import { SluiceError } from '../errors.ts';

const SECRET_NAME =
  /pass(word|phrase)?(_?hash)?$|secret|token|credential|authorization|cookie|private_?key|access_?key|api_?key/i;
/** Our own keys, and the user information of URLs (`postgres://user:password@host`). */
const SECRET_TEXT = /\bph[xs]_[0-9A-Za-z]+|(?<=:\/\/)[^/@\s]+(?=@)/g;
export const REDACTED = '[redacted]';
const MAX_DEPTH = 8;

/** Whether what has this name looks like a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** @returns a copy whose secret-looking members and texts say `[redacted]`; deeper than 8 levels is cut off */
export function redact(value: unknown, depth = 0): unknown {
  // tooth: redact-texts
  if (typeof value === 'string') return value.replace(SECRET_TEXT, REDACTED);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  // tooth: redact-names
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecretName(name) ? REDACTED : redact(member, depth + 1)]),
  );
}

/**
 * An error for the log, with its causes: class, code, where it was thrown, and the message if it is ours. What a driver, a server or
 * the runtime says names users and quotes values, in the message and beside it (`detail`, `where`, `internalQuery`).
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return redact(error);
  const { cause, code } = error as { cause?: unknown; code?: unknown };
  const frames = framesOf(error);
  // tooth: redact-foreign-messages
  return {
    type: error.constructor.name,
    ...(typeof code === 'string' && CODE.test(code) && { code }),
    ...(isOurs(error, frames) && { message: redact(error.message) }),
    stack: frames.join('\n'),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

/** SQLSTATEs, and names such as `ECONNREFUSED` and `NoSuchBucket`. */
const CODE = /^[A-Za-z0-9_]{1,60}$/;
const FRAME = /^ {4}at (?:[^()]* \()?(?:async )?(?:file:\/\/\/|node:|\/|<anonymous>)[^\s()]*\)?$/;
const OUR_ROOT = new URL('../../', import.meta.url).href;
/** What the system, Postgres and the SDK of AWS put on their errors. */
const FOREIGN = ['errno', 'syscall', 'severity', '$metadata'];

/** Without the lines in front of them, which repeat the message. */
function framesOf({ stack = '' }: Error): string[] {
  const lines = stack.split('\n');
  return lines.slice(lines.findLastIndex((line) => !FRAME.test(line)) + 1);
}

/** Thrown by a line of this repository: the runtime's own functions, which quote what they were given, have a frame of their own. */
function isOurs(error: Error, [first = '']: readonly string[]): boolean {
  if (error instanceof SluiceError) return true;
  if (FOREIGN.some((name) => name in error)) return false;
  return first.includes(OUR_ROOT) && !first.includes('/node_modules/');
}
