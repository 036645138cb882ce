/** Reads and writes Avro, the format of manifests: 64-bit integers are bigints, and the header keeps the ids of the fields. */
import avro from 'avsc';
import { Readable } from 'node:stream';

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

export async function readAvro<Record>(bytes: Buffer): Promise<Record[]> {
  const decoder = new avro.streams.BlockDecoder({ parseHook: (schema: unknown) => typeOf(schema) } as object);
  const source = Readable.from([bytes]);
  source.on('error', (error) => decoder.destroy(error));
  return (await Array.fromAsync(source.pipe(decoder) as AsyncIterable<Record>)) as Record[];
}
