/**
 * Names of objects: `<prefix>/<start>-<end>[-<run id>][-<n>]<extension>` and `<prefix>/<start>-<end>_manifest.json`. Where the prefix contains
 * `{event}`, files are numbered within each event.
 *
 * Instants in names have ISO 8601's basic form in UTC, `20240321T000000Z` (with a fraction if there is one): they sort by
 * time and hold no colon or plus, which cause trouble in Windows, Hadoop, rsync or URLs.
 */
import { InvalidInput } from '../../../platform/errors.ts';
import { fileExtension } from '../../formats/file.ts';
import { type Delivery, type EventParts, type Part } from '../delivery.ts';
import { FILE_FORMATS, SUPPORTED_COMPRESSIONS, type FileEncoding } from '../../formats/file-encoding.ts';
import { EVENT, eventFolder, isEventFolder, MAX_EVENT_BYTES } from './event-folders.ts';
import { compactInstant, VARIABLES, type PrefixInterval } from './prefix-variables.ts';

/** S3's limit of a key's length; no major store allows more. */
const MAX_KEY_BYTES = 1024;
/** Limit of a prefix, so the longest file name fits into the key after it. */
const MAX_PREFIX_BYTES = MAX_KEY_BYTES - 128;
const HOUR_MS = 3_600_000;
/** Limit of a name in common file systems. */
const MAX_SEGMENT_BYTES = 255;

export const PREFIX_VARIABLES = Object.entries(VARIABLES).flatMap(([name, { isOfPathStyle }]) =>
  isOfPathStyle ? [] : `{${name}}`,
);

/**
 * Checks a prefix or a directory: relative, `/` between segments, no characters that a store or a file system treats specially.
 * @returns the path without a trailing slash
 * @throws InvalidInput naming the field
 */
function checkPath(path: string, attr: string): string {
  const trimmed = path.replace(/\/$/, '');
  if (trimmed === '') return '';
  if (longestBytes(trimmed) > MAX_PREFIX_BYTES)
    throw new InvalidInput(`Must have at most ${MAX_PREFIX_BYTES} bytes${eventNote(trimmed)}.`, attr);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(trimmed) || !trimmed.isWellFormed()) {
    throw new InvalidInput('Must not contain control characters or backslashes.', attr);
  }
  const segments = trimmed.split('/');
  if (segments.some((segment) => segment === '')) {
    throw new InvalidInput('Must not start with a slash or contain an empty segment.', attr);
  }
  if (segments.some((segment) => longestBytes(segment) > MAX_SEGMENT_BYTES)) {
    throw new InvalidInput(`Must have at most ${MAX_SEGMENT_BYTES} bytes between slashes${eventNote(trimmed)}.`, attr);
  }
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new InvalidInput('Must not contain the segments "." or "..".', attr);
  }
  return trimmed;
}

/** The other variables are about as long as their values. */
function longestBytes(text: string): number {
  return Buffer.byteLength(text.replace(EVENT, '')) + (text.includes(EVENT) ? MAX_EVENT_BYTES : 0);
}

function eventNote(path: string): string {
  return path.includes(EVENT) ? `, of which ${EVENT} counts as ${MAX_EVENT_BYTES}` : '';
}

/** Makes the checks of `checkPath`, and that every `{…}` is a variable of the field. @throws InvalidInput naming the field */
export function checkPrefix(prefix: string, attr = 'prefix', variables = PREFIX_VARIABLES): string {
  const path = checkPath(prefix, attr);
  const literal = path.replace(/\{[a-z_]+\}/g, (variable) => (variables.includes(variable) ? '' : variable));
  if (/[{}]/.test(literal)) throw new InvalidInput(`Braces may only hold a variable: ${variables.join(' ')}.`, attr);
  if (path.split(EVENT).length > 2) throw new InvalidInput(`Must contain ${EVENT} once at most.`, attr);
  return path;
}

/** Makes the checks of `checkPrefix` for a directory in front of the prefix. @throws InvalidInput naming the field */
export function checkDirectory(directory: string): string {
  const variables = PREFIX_VARIABLES.filter((variable) => variable !== EVENT);
  return checkPrefix(directory, 'directory', variables);
}

/** `hive`: partition folders below the prefix, by the start of the interval. */
export const PATH_STYLES = ['flat', 'hive'] as const;
export type PathStyle = (typeof PATH_STYLES)[number];

/**
 * Always a date and an hour, because query engines need the same partition columns everywhere, and the length of an export's intervals may
 * change. In UTC, because a clock change repeats a local hour, and two intervals would share its folder.
 */
const HIVE_FOLDERS = 'date={start_date}/hour={start_hour}';

/** The folder of the files, with variables in braces. @param prefix as `checkPrefix` returned it */
export function inPathStyle(prefix: string, style: PathStyle | undefined): string {
  if (style !== 'hive') return prefix;
  return prefix === '' ? HIVE_FOLDERS : `${prefix}/${HIVE_FOLDERS}`;
}

/** `stable`: names depend on the data interval only. `versioned`: they also contain the run's id, so no delivery reuses one. */
export const LAYOUTS = ['versioned', 'stable'] as const;
export type Layout = (typeof LAYOUTS)[number];

export type ObjectNames = {
  layout: Layout;
  file(index: number): string;
  /** The event that a part's file holds, null for the events that the plan does not name; undefined if it may hold any. */
  event(index: number): string | null | undefined;
  manifest: string;
  /** The empty object that marks a folder of exactly one interval as delivered; undefined for other folders. */
  success: string | undefined;
  /** Whether the key is one that a delivery of exactly this interval may use for a file. */
  isFile(key: string): boolean;
  /** Whether the key contains a run's id; such a key is never written again once it has left the manifest. */
  isVersioned(key: string): boolean;
  /** Whether the key is that of a file (see `isFile`) or of the manifest. */
  isOfInterval(key: string): boolean;
};

type FileKind = Pick<FileEncoding, 'format' | 'compression'>;

/** Kinds of files by extension. A file `.parquet` may use any codec, because readers find the codec in the file. */
const FILE_KINDS: ReadonlyMap<string, FileKind> = new Map(
  FILE_FORMATS.flatMap((format) =>
    [null, ...SUPPORTED_COMPRESSIONS[format]].map((compression): [string, FileKind] => [
      fileExtension({ format, compression, codecInName: true }),
      { format, compression },
    ]),
  ),
);

/** A prefix with its variables filled in. @param prefix as `checkPrefix` returned it */
export function folderOf(prefix: string, interval: PrefixInterval): string {
  return prefix.replace(/\{([a-z_]+)\}/g, (_, name: string) => VARIABLES[name]!.value(interval));
}

/** The folder of a key, with a slash at the end; empty for none. */
export function folderOfKey(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}

/** @param prefix as `checkPrefix` returned it */
function stemOf(prefix: string, interval: PrefixInterval): string {
  const folder = folderOf(prefix, interval);
  return `${folder === '' ? '' : `${folder}/`}${compactInstant(interval.start)}-${compactInstant(interval.end)}`;
}

/** @param prefix as `checkPrefix` returned it */
export function manifestKey(prefix: string, interval: PrefixInterval): string {
  return `${stemOf(prefix, interval)}_manifest.json`;
}

/**
 * Names the mark of a folder that holds exactly one interval. Intervals of an export do not overlap, so an interval that fills the hour of
 * its folder from the beginning is alone there. Stable names have no mark: it would have to be deleted before files are replaced, and a
 * delete cannot be fenced.
 */
function successKey(prefix: string, interval: PrefixInterval, layout: Layout): string | undefined {
  const { start, end } = interval;
  const fillsHour = start.endsWith(':00:00.000000Z') && Date.parse(end) - Date.parse(start) >= HOUR_MS;
  if (layout !== 'versioned' || !fillsHour || !prefix.endsWith(HIVE_FOLDERS)) return undefined;
  return `${folderOf(prefix, interval)}/_SUCCESS`;
}

const RUN_ID = /^-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

type NamedDelivery = Pick<Delivery, 'start' | 'end' | 'model' | 'file' | 'runId' | 'events'>;

/**
 * The names of one delivery's objects.
 * @param prefix as `checkPrefix` returned it
 * @param capitals whether the store distinguishes capital letters; see `eventFolder`
 */
export function namesOf(
  prefix: string,
  delivery: NamedDelivery,
  layout: Layout,
  capitals: 'distinct' | 'unsure' = 'distinct',
): ObjectNames {
  // tooth: store-run-in-name
  const run = layout === 'versioned' ? `-${delivery.runId}` : '';
  const extension = fileExtension(delivery.file);
  const manifest = manifestKey(prefix, delivery);
  const partOf = prefix.includes(EVENT) ? partsByEvent(delivery.events) : partOfAllEvents;
  const afterStem = stemRemover(prefix, delivery);
  const isFile = (key: string) => {
    const rest = afterStem(key);
    return rest !== undefined && FILE_KINDS.has(rest.replace(RUN_ID, '').replace(/^-\d+/, ''));
  };
  return {
    layout,
    file(index) {
      const { event, number, isAlone } = partOf(index);
      const { numbered } = delivery.file;
      const isNumbered = numbered === 'per_event' ? !isAlone : numbered;
      const stem = stemOf(
        prefix,
        event === undefined ? delivery : { ...delivery, event: eventFolder(event, capitals) },
      );
      return `${stem}${run}${isNumbered ? `-${number}` : ''}${extension}`;
    },
    event: (index) => partOf(index).event,
    manifest,
    success: successKey(prefix, delivery, layout),
    isFile,
    isVersioned: (key) => isFile(key) && RUN_ID.test(afterStem(key)!),
    isOfInterval: (key) => key === manifest || isFile(key),
  };
}

/** A part's event, the part's number among those of its event, and whether there are no others. */
type NumberedPart = { event: string | null | undefined; number: number; isAlone: boolean };

const partOfAllEvents = (index: number): NumberedPart => ({ event: undefined, number: index, isAlone: false });

function partsByEvent(events: readonly EventParts[] = []): typeof partOfAllEvents {
  const parts = events.flatMap(({ event, parts: count }) =>
    Array.from({ length: count }, (_, number): NumberedPart => ({ event, number, isAlone: count === 1 })),
  );
  return (index) => {
    // Plans of versions that do not know the variable have no events.
    if (!parts[index]) throw new Error(`the plan does not say which event part ${index} holds`);
    return parts[index];
  };
}

/** @returns a function that returns what follows the stem in a key of the interval; undefined for other keys */
function stemRemover(prefix: string, interval: PrefixInterval): (key: string) => string | undefined {
  // No prefix contains control characters.
  const [head = '', tail] = stemOf(prefix, { ...interval, event: '\0' }).split('\0');
  return (key) => {
    if (!key.startsWith(head)) return undefined;
    if (tail === undefined) return key.slice(head.length);
    const at = key.indexOf(tail, head.length);
    return at >= 0 && isEventFolder(key.slice(head.length, at)) ? key.slice(at + tail.length) : undefined;
  };
}

/** All keys of a delivery, in the order in which they are written: the manifest comes after the files. */
export function allNames(names: ObjectNames, parts: readonly Part[]): string[] {
  return [...parts.map(({ index }) => names.file(index)), names.manifest, ...(names.success ? [names.success] : [])];
}

/** Format and compression of an exported file, from its name. @throws Error for any other name */
export function fileKindOf(key: string): FileKind {
  // At most one extension matches, because `.jsonl` is not a suffix of `.jsonl.gz`.
  for (const [extension, kind] of FILE_KINDS) if (key.endsWith(extension)) return kind;
  throw new Error('not the name of an exported file');
}
