/** Reads and writes Avro, the format of manifests: 64-bit integers are bigints, and the header keeps the ids of the fields. */
import avro from 'avsc';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { UnreadableFile } from '../../formats/unreadable.ts';
import { ByteReader, decoderOf, type Schema } from './avro-values.ts';

export type AvroSchema = string | { readonly [key: string]: unknown } | readonly AvroSchema[];

const LONG = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer(value: bigint) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
});

/** The hook sees every schema; a registry would miss longs with a logical type. */
function typeOf(schema: unknown): avro.Type {
  return avro.Type.forSchema(schema as avro.Schema, {
    wrapUnions: false,
    typeHook(found) {
      const isLong = found === 'long' || (found as { type?: unknown }).type === 'long';
      return (isLong ? LONG : undefined) as avro.Type;
    },
  });
}

export async function writeAvro(
  schema: AvroSchema,
  metadata: Readonly<Record<string, string>>,
  records: readonly unknown[],
): Promise<Buffer> {
  const encoded = Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text)]));
  // The header has the schema as it is given here; made from a type it would lack the ids of the fields.
  const encoder = new avro.streams.BlockEncoder(
    schema as avro.Schema,
    {
      codec: 'deflate',
      metadata: encoded,
      writeHeader: true,
    } as object,
  );
  (encoder as unknown as { _type: avro.Type })._type = typeOf(schema);
  const chunks: Buffer[] = [];
  encoder.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => encoder.on('end', resolve).on('error', reject));
  for (const record of records) encoder.write(record);
  encoder.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Limit of a file once it is decompressed. Engines begin another manifest after eight MiB of compressed ones. */
const MAX_CONTENT_BYTES = 128 * 1024 * 1024;
const MAGIC = Buffer.from('Obj\u0001');
const SYNC_BYTES = 16;
const HEADER = decoderOf({ type: 'map', values: 'bytes' });
const inflate = promisify(inflateRaw);

/**
 * Reads a whole container file: https://avro.apache.org/docs/1.12.0/specification/#object-container-files
 * @param names see `decoderOf`
 * @throws UnreadableFile also when the file is cut off or empty: fewer records would count as files that the table does not have
 */
export async function readAvro<Record>(bytes: Buffer, names?: ReadonlyMap<number, string>): Promise<Record[]> {
  try {
    return (await recordsIn(new ByteReader(bytes), names)) as Record[];
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause;
    throw new UnreadableFile('it is not Avro', { cause });
  }
}

async function recordsIn(file: ByteReader, names: ReadonlyMap<number, string> | undefined): Promise<unknown[]> {
  if (!file.take(MAGIC.length).equals(MAGIC)) throw new UnreadableFile('it is not Avro');
  const header = HEADER(file) as { readonly [name: string]: Buffer | undefined };
  const sync = file.take(SYNC_BYTES);
  const codec = header['avro.codec']?.toString() ?? 'null';
  if (codec !== 'null' && codec !== 'deflate') throw new UnreadableFile('its compression is not deflate');
  const decode = decoderOf(JSON.parse(String(header['avro.schema'])) as Schema, names);
  const records: unknown[] = [];
  let room = MAX_CONTENT_BYTES;
  while (file.left > 0) {
    const count = file.int();
    const packed = file.bytes();
    if (!file.take(SYNC_BYTES).equals(sync)) throw new UnreadableFile('a block is damaged');
    const content = codec === 'null' ? packed : await inflate(packed, { maxOutputLength: room });
    room -= content.length;
    const block = new ByteReader(content);
    if (count < 0 || count > block.left) throw new UnreadableFile('a block is damaged');
    for (let n = 0; n < count; n++) records.push(decode(block));
    if (block.left > 0) throw new UnreadableFile('a block is damaged');
  }
  return records;
}
