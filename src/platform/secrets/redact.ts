/** Last line of defence for logs: keeps out keys, passwords and the texts of other people's software. */
import { SluiceError } from '../errors.ts';

const SECRET_NAME =
  /pass(word|phrase)?(_?hash)?$|secret|token|credential|authorization|cookie(?!less)|private_?key|access_?key|api_?key/i;
/** Our own keys, and the user information of URLs (`postgres://user:password@host`). */
const SECRET_TEXT = /\bph[xs]_[0-9A-Za-z]+|(?<=:\/\/)[^/@\s]+(?=@)/g;
export const REDACTED = '[redacted]';
const MAX_DEPTH = 8;

/** Whether the name looks like a secret's. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** @returns a copy whose secret-looking properties and texts are `[redacted]`; levels below the eighth are cut off */
export function redact(value: unknown, depth = 0): unknown {
  // tooth: redact-texts
  if (typeof value === 'string') return value.replace(SECRET_TEXT, REDACTED);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  // tooth: redact-names
  return Object.fromEntries(
    Object.entries(value).map(([name, fieldValue]) => [
      name,
      isSecretName(name) ? REDACTED : redact(fieldValue, depth + 1),
    ]),
  );
}

/**
 * An error for the log, with its causes: class, code, where it was thrown, and the message if it is ours. Errors of drivers,
 * servers and the runtime name users and quote values, in the message and in other properties (`detail`, `where`, `internalQuery`).
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return redact(error);
  // An error may be its own cause.
  if (depth === MAX_DEPTH) return '[too deep]';
  const { cause, code } = error as { cause?: unknown; code?: unknown };
  const lines = linesBelowMessage(error);
  // tooth: redact-foreign-messages
  return {
    type: error.constructor.name,
    ...(typeof code === 'string' && CODE.test(code) && { code }),
    ...(isOurs(error, lines) && { message: redact(error.message) }),
    stack: lines.filter((line) => FRAME.test(line)).join('\n'),
    ...(cause !== undefined && { cause: describeError(cause, depth + 1) }),
  };
}

/** SQLSTATEs, and names such as `ECONNREFUSED` and `NoSuchBucket`. */
const CODE = /^[A-Za-z0-9_]{1,60}$/;
const FRAME =
  /^ {4}at (?:async Promise\.\w+ \(index \d+\)|(?:[^()]* \()?(?:eval at [^()]* \()?(?:async )?(?:file:\/\/\/|node:|\/|<anonymous>)[^\s()]*(?:\), <anonymous>:\d+:\d+)?\)?)$/;
const OUR_ROOT = new URL('../../../', import.meta.url).href;
/** Fields that the system, Postgres and the SDK of AWS put on their errors. */
const FOREIGN_MEMBERS = ['errno', 'syscall', 'severity', '$metadata'];

/** Returns the stack without its head, which repeats the message, even if that has lines like a stack's. Empty if the head differs. */
function linesBelowMessage({ name, message, stack = '' }: Error): string[] {
  const firstLine = [name, message].filter((part) => part !== '').join(': ');
  return stack.startsWith(`${firstLine}\n`) ? stack.slice(firstLine.length + 1).split('\n') : [];
}

/** Whether a line of this repository threw the error. Functions of the runtime, which quote their arguments, have frames of their own. */
function isOurs(error: Error, lines: readonly string[]): boolean {
  if (error instanceof SluiceError) return true;
  if (FOREIGN_MEMBERS.some((name) => name in error)) return false;
  if (!lines.every((line) => FRAME.test(line))) return false;
  const [first = ''] = lines;
  return first.includes(OUR_ROOT) && !first.includes('/node_modules/');
}
