/** A parsed line of input. One function per format makes it: `readAccessLogLine`, `readNdjsonLine`. */
export type Reading = {
  /** When the event happened, in milliseconds; undefined when the line does not say. */
  timeMs: number | undefined;
  /** True when the line names its own uuid, which then wins over ours. */
  hasUuid: boolean;
  /** The event as JSON text, under this uuid (ignored when the line has one). */
  json(uuid: string): string;
};

/** Reads one line. @throws BadLine saying what is wrong with it */
export type ReadLine = (line: string) => Reading;

/** A line that cannot be sent: counted and reported, never fatal. */
export class BadLine extends Error {}
