/** Limits of decide, for its code and for its documentation. */
export const LIMITS = {
  /** Bytes of a body, as sent and again after inflation. */
  bodyBytes: 2 * 1024 * 1024,
  /** Of bodies that one process holds at once, with what is parsed of them; OFREP has as much of its own. */
  heldBytes: 64 * 1024 * 1024,
  /** Elements of lists, members of objects, lists and objects: to parse and to compare them takes a microsecond each. */
  values: 50_000,
  /** Of objects and lists inside each other. */
  depth: 128,
  /** Code points; longer ones are cut, as every server of this protocol does. */
  distinctIdLength: 200,
} as const;
