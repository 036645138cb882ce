/**
 * Joins Parquet files of ours that have one schema to a single file. Row groups are copied byte by byte, and only the footer is new, so
 * no row is decoded, and none changes. Format: https://parquet.apache.org/docs/file-format/
 */
// The package's root does not export it. This path is one of its `exports`, and the version is fixed.
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { UnreadableFile } from '../unreadable.ts';
import { footerOf, MAGIC } from './footer.ts';
import { thriftBytes, type Struct } from './thrift.ts';

/** Limit of a file's footer, which comes last, so that many bytes are held back until the file ends. */
const MAX_FOOTER_BYTES = 4 * 1024 * 1024;
/** The footer's length in four bytes, and the magic bytes. */
const END_BYTES = 4 + MAGIC.length;

/** Ids of fields: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift */
const FILE = { rows: 3, groups: 4 } as const;
const GROUP_COLUMNS = 1;
const CHUNK_METADATA = 3;
const CHUNK = { dataPages: 9, dictionary: 11 } as const;
/** Fields that our writer uses. Others could hold positions that would have to change. */
const KNOWN = {
  file: [1, 2, 3, 4, 6, 7],
  group: [1, 2, 3, 6],
  chunk: [2, 3],
  metadata: [1, 2, 3, 4, 5, 6, 7, 9, 11, 12],
};

export type JoinedFile = {
  /** The file, to be read once. @throws UnreadableFile when the files are not all ours, or have different schemas */
  bytes: AsyncIterable<Uint8Array>;
  /** Rows so far. */
  rows(): number;
};

/** @param files open one file each, in the order of their rows */
export function joinFiles(files: readonly (() => Promise<AsyncIterable<Uint8Array>>)[]): JoinedFile {
  let rows = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let position = MAGIC.length;
    let first: Struct | undefined;
    const groups: Struct[] = [];
    yield MAGIC;
    for (const open of files) {
      const { footer, dataBytes } = yield* dataOf(await open());
      first ??= footer;
      if (!haveOneSchema(first, footer)) throw new UnreadableFile('it has another schema than the file before it');
      const shift = BigInt(position - MAGIC.length);
      for (const group of structs(footer[FILE.groups])) groups.push(moveGroup(group, shift));
      rows += Number(footer[FILE.rows]);
      position += dataBytes;
    }
    yield footerOf({ ...first, [FILE.rows]: BigInt(rows), [FILE.groups]: groups });
  }
  return { bytes: bytes(), rows: () => rows };
}

/** Yields what is between the magic bytes and the footer. */
async function* dataOf(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, { footer: Struct; dataBytes: number }> {
  let position = 0;
  let heldBytes = 0;
  const held: Uint8Array[] = [];
  function take(block: Uint8Array): Uint8Array {
    const data = block.subarray(Math.max(0, MAGIC.length - position));
    position += block.length;
    return data;
  }
  for await (const block of content) {
    held.push(block);
    heldBytes += block.length;
    while (heldBytes - held[0]!.length >= MAX_FOOTER_BYTES + END_BYTES) {
      heldBytes -= held[0]!.length;
      yield take(held.shift()!);
    }
  }
  const end = Buffer.concat(held);
  if (end.length < END_BYTES || !end.subarray(-MAGIC.length).equals(MAGIC)) throw notParquet();
  const footerAt = end.length - END_BYTES - end.readUInt32LE(end.length - END_BYTES);
  if (position + footerAt < MAGIC.length || footerAt < 0) throw notParquet();
  yield take(end.subarray(0, footerAt));
  return { footer: parseFooter(end.subarray(footerAt, -END_BYTES)), dataBytes: position - MAGIC.length };
}

const notParquet = () => new UnreadableFile('it is not valid Parquet, or its footer is too large');

function parseFooter(bytes: Uint8Array): Struct {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  let footer: Struct;
  try {
    footer = renameFields(deserializeTCompactProtocol(reader)) as Struct;
  } catch (cause) {
    throw new UnreadableFile('its footer cannot be read', { cause });
  }
  const groups = structs(footer[FILE.groups]);
  const chunks = groups.flatMap((group) => structs(group[GROUP_COLUMNS]));
  const isOurs =
    hasOnly([footer], KNOWN.file) &&
    hasOnly(groups, KNOWN.group) &&
    hasOnly(chunks, KNOWN.chunk) &&
    hasOnly(structs(chunks.map((chunk) => chunk[CHUNK_METADATA])), KNOWN.metadata);
  if (!isOurs) throw new UnreadableFile('another program has written it');
  return footer;
}

const structs = (list: unknown): Struct[] => list as Struct[];

function hasOnly(all: readonly Struct[], ids: readonly number[]): boolean {
  return all.every((struct) => Object.keys(struct).every((id) => ids.includes(Number(id))));
}

/** Gives fields the names that the writer has, which are the ids alone; the reader's are `field_1`, …. */
function renameFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameFields);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.replace('field_', ''), renameFields(field)]),
  );
}

function haveOneSchema(one: Struct, other: Struct): boolean {
  const [a, b] = [one, other].map((footer) => thriftBytes({ ...footer, [FILE.rows]: 0n, [FILE.groups]: [] }));
  return Buffer.compare(a!, b!) === 0;
}

/** Moves a row group to a position that is so many bytes later. */
function moveGroup(group: Struct, shift: bigint): Struct {
  const columns = structs(group[GROUP_COLUMNS]).map((chunk): Struct => {
    const metadata = chunk[CHUNK_METADATA] as Struct;
    const [pages, dictionary] = [CHUNK.dataPages, CHUNK.dictionary].map((id) => metadata[id] as bigint | undefined);
    return {
      ...chunk,
      [CHUNK_METADATA]: {
        ...metadata,
        [CHUNK.dataPages]: pages! + shift,
        [CHUNK.dictionary]: dictionary === undefined ? undefined : dictionary + shift,
      },
    };
  });
  return { ...group, [GROUP_COLUMNS]: columns };
}
