/**
 * Texts that stand for `{event}` in a key. Different events have different texts, also where a file system does not distinguish capital letters,
 * and none is the text of the rest or of the manifests.
 *
 * A text is the event's name in percent-encoding of its UTF-8 bytes (RFC 3986, section 2.1), which query engines decode in the values of
 * partition folders. A long one is cut, and ends with `~` and a hash of the name, and so do an empty one and `__other__`.
 */
import { createHash } from 'node:crypto';

/** The variable of a prefix. */
export const EVENT = '{event}';
/** Stands for all events that the plan does not name. Texts of names do not begin with `_`. */
export const OTHER_EVENTS = '__other__';
/** Stands for the event in the manifest's key, because a manifest lists the files of all events. */
export const MANIFESTS = '__manifests__';

/** Limit of a text: with its hash, it leaves room for the rest of a segment of 255 bytes, and of a key of 1,024. */
export const MAX_EVENT_BYTES = 200;
const HASH_DIGITS = 32;
const CUT = '~';

/** Every character of a text. `$` and `-` need quoting in few places, and are frequent in names. */
export const EVENT_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$%-._~';
const FOLDER = /^[A-Za-z0-9$%\-._~]+$/;

/**
 * `.` and `_` at the beginning hide a folder from Spark, Hive and shells; stores and file systems may drop `.` at the end.
 */
const ESCAPED = /[^A-Za-z0-9$\-._]|^[._]|\.$/gu;
/** For file systems that may not distinguish `A` from `a`. */
const ESCAPED_WITH_CAPITALS = /[^a-z0-9$\-._]|^[._]|\.$/gu;

/**
 * @param event null for the events that the plan does not name
 * @param capitals whether the store surely distinguishes capital letters from small ones
 */
export function eventFolder(event: string | null, capitals: 'distinct' | 'unsure'): string {
  if (event === null) return OTHER_EVENTS;
  const text = event.replace(capitals === 'distinct' ? ESCAPED : ESCAPED_WITH_CAPITALS, percentEncoded);
  // Decoded, the text of an event of this name would be the value of the rest.
  const isReserved = event === OTHER_EVENTS;
  if (text !== '' && text.length <= MAX_EVENT_BYTES && !isReserved) return text;
  const hash = createHash('sha256').update(event).digest('hex').slice(0, HASH_DIGITS);
  const head = text.slice(0, MAX_EVENT_BYTES - CUT.length - HASH_DIGITS);
  return `${withoutCutCharacter(head)}${CUT}${hash}`;
}

/** Engines refuse a partition value that is not UTF-8. Without an incomplete escape, and a last character of several bytes, whole or not. */
function withoutCutCharacter(head: string): string {
  return head.replace(/%.?$/, '').replace(/%[C-F].(?:%[89AB].)*$/, '');
}

function percentEncoded(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Whether a text is that of an event or of the rest. */
export function isEventFolder(text: string): boolean {
  return FOLDER.test(text) && text !== MANIFESTS;
}

/** The folder that holds all of a delivery. @param folder of its manifest, with a slash at the end */
export function folderOfDelivery(folder: string): string {
  const at = folder.indexOf(MANIFESTS);
  return at < 0 ? folder : folder.slice(0, folder.lastIndexOf('/', at) + 1);
}
