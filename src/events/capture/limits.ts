/** Limits of what capture accepts, for its code and for the people who read its documentation. */
const MIB = 1024 * 1024;

export const LIMITS = {
  /** Bytes of a body, as sent and again after inflation. Browsers' SDKs send batches wherever they send single events. */
  bodyBytes: 20 * MIB,
  /** Bytes of a browser's report: a few violations, each with the page's policy. */
  reportBytes: MIB,
  reportsPerRequest: 500,
  eventsPerRequest: 10_000,
  /**
   * Values in a body: list elements, object properties, lists and objects. A body may hold one for each `bytesPerValue` bytes, but any body
   * may hold `values`, and none more than `maxValues` (enough for 10,000 events of 20 properties). Parsing takes about a microsecond each.
   */
  values: 50_000,
  bytesPerValue: 20,
  maxValues: 270_000,
  /** Values in one event's properties, which are processed in one go while other requests wait. */
  valuesPerEvent: 25_000,
  /** UTF-16 units of one event's properties as JSON, all digits of its numbers written out, and of its elements chain. */
  propertiesLength: MIB,
  /** Objects and arrays inside each other, in one event. */
  depth: 128,
  groupTypeLength: 400,
  groupKeyLength: 400,
  /** Longer names and ids are cut, as every server of this protocol does. */
  eventNameLength: 200,
  distinctIdLength: 200,
  /** Bytes of a waiting event in addition to its encoded row: its uuid, instants, changes of its person, and some reserve. */
  bytesAroundRow: 1_500,
  /** Bytes of bodies and rows that one process holds at once. */
  heldBytes: 256 * MIB,
} as const;
