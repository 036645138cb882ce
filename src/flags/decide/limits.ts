/** Limits of decide, used by its code and its documentation. */
export const LIMITS = {
  /** Bytes of a body, both as sent and inflated. */
  bodyBytes: 2 * 1024 * 1024,
  /** Bytes for bodies and their parsed values in one process; OFREP has as much again. */
  heldBytes: 64 * 1024 * 1024,
  /** JSON values in a body; each takes about a microsecond to parse and compare. */
  values: 50_000,
  /** Levels of nested objects and lists. */
  depth: 128,
  /** Code points; longer ids are truncated, as upstream does. */
  distinctIdLength: 200,
} as const;
