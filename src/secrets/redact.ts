/** Last line of defence for logs: whatever gets there, keys and passwords do not. */
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
  if (typeof value === 'string') return value.replace(SECRET_TEXT, REDACTED);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecretName(name) ? REDACTED : redact(member, depth + 1)]),
  );
}

/** An error for the log, with its causes; not what a driver says beside its message, which may quote what was stored. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return redact(error);
  const { name, message, stack, cause } = error;
  return {
    ...(redact({ name, message, stack }) as object),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
