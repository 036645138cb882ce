/** Limits of decide, for its code and for its documentation. */
export const LIMITS = {
  /** Bytes of a body, as sent and again after inflation. */
  bodyBytes: 2 * 1024 * 1024,
  /** Memory for bodies and their parsed values in one process; OFREP has the same again for itself. */
  heldBytes: 64 * 1024 * 1024,
  /** Elements of lists, members of objects, lists and objects: to parse and to compare them takes a microsecond each. */
  values: 50_000,
  /** Levels of nested objects and lists. */
  depth: 128,
  /** Code points; longer ones are cut, as every server of this protocol does. */
  distinctIdLength: 200,
} as const;
