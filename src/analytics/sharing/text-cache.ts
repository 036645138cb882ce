/** Caches shared pages for some seconds, because many people may open a link at once. */

/** Lifetime from the start of drawing, so no page is older than the data read then. */
const KEPT_MS = 3_000;
/** Limit of all texts together, with their names. */
const MAX_BYTES = 32 * 1024 * 1024;

export type Text = { bytes: Buffer; headers: Readonly<Record<string, string>> };

export type TextCache = {
  /**
   * @param name names all that the text depends on, except data that may be seconds old
   * @param write is not called while a text of that name is cached or being written; its errors are not cached
   */
  getText(name: string, write: () => Promise<Text>): Promise<Text>;
};

/** A text that is cached or being written; `bytes` is 0 until it is written. */
type Entry = { at: number; text: Promise<Text>; bytes: number };

type Options = {
  /** Milliseconds; only differences count. */
  now?: () => number;
  maxBytes?: number;
};

export function createTextCache({ now = () => performance.now(), maxBytes = MAX_BYTES }: Options = {}): TextCache {
  /** Entries in the order in which they were begun. */
  const entries = new Map<string, Entry>();
  let heldBytes = 0;

  function drop(name: string, entry: Entry): void {
    if (entries.get(name) !== entry) return;
    entries.delete(name);
    heldBytes -= entry.bytes;
  }

  function dropOld(): void {
    for (const [name, entry] of entries) {
      if (entry.at + KEPT_MS > now()) return;
      drop(name, entry);
    }
  }

  function recordSize(name: string, entry: Entry, { bytes }: Text): void {
    if (entries.get(name) !== entry) return;
    entry.bytes = Buffer.byteLength(name) + bytes.length;
    heldBytes += entry.bytes;
    for (const [other, one] of entries) {
      if (heldBytes <= maxBytes) return;
      if (one.bytes > 0) drop(other, one);
    }
  }

  return {
    getText(name, write) {
      dropOld();
      const cached = entries.get(name);
      if (cached) return cached.text;
      const entry: Entry = { at: now(), text: write(), bytes: 0 };
      entries.set(name, entry);
      entry.text.then(
        (text) => recordSize(name, entry, text),
        () => drop(name, entry),
      );
      return entry.text;
    },
  };
}
