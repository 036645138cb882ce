/** Answers for visitors, kept for those who come in the next seconds: a link that is passed around has many at once. */

/** From when its drawing began: nothing on a page is older than what was read then. */
const KEPT_MS = 3_000;
/** Of all together, with their names. */
const MAX_BYTES = 32 * 1024 * 1024;

export type Text = { bytes: Buffer; headers: Readonly<Record<string, string>> };

export type TextCache = {
  /**
   * @param name all that the text depends on, but for what may be seconds old
   * @param write is not called while there is a text of that name, or somebody else's is being written; what it throws is not kept
   */
  textOf(name: string, write: () => Promise<Text>): Promise<Text>;
};

/** `bytes`: 0 until it is written. */
type Entry = { at: number; text: Promise<Text>; bytes: number };

type Options = {
  /** Milliseconds; only differences count. */
  now?: () => number;
  mostBytes?: number;
};

export function createTextCache({ now = () => performance.now(), mostBytes = MAX_BYTES }: Options = {}): TextCache {
  /** In the order in which they were begun. */
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

  function keep(name: string, entry: Entry, { bytes }: Text): void {
    if (entries.get(name) !== entry) return;
    entry.bytes = Buffer.byteLength(name) + bytes.length;
    heldBytes += entry.bytes;
    for (const [other, one] of entries) {
      if (heldBytes <= mostBytes) return;
      if (one.bytes > 0) drop(other, one);
    }
  }

  return {
    textOf(name, write) {
      dropOld();
      const known = entries.get(name);
      if (known) return known.text;
      const entry: Entry = { at: now(), text: write(), bytes: 0 };
      entries.set(name, entry);
      entry.text.then(
        (text) => keep(name, entry, text),
        () => drop(name, entry),
      );
      return entry.text;
    },
  };
}
