/** Rows as COPY BINARY, encoded by hand, and streams in chunks of any size. */
import fc from 'fast-check';

const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);

export function copyBinary(rows: readonly (readonly (Uint8Array | null)[])[], header: Uint8Array = HEADER): Buffer {
  return Buffer.concat([
    header,
    ...rows.flatMap((fields) => [int16(fields.length), ...fields.flatMap(encodeField)]),
    TRAILER,
  ]);
}

/** A header with something in its extension, which readers must skip. */
export function headerWithExtension(extension: Uint8Array): Buffer {
  const header = Buffer.concat([HEADER, extension]);
  header.writeInt32BE(extension.length, HEADER.length - 4);
  return header;
}

function encodeField(value: Uint8Array | null): Uint8Array[] {
  if (!value) return [int32(-1)];
  return [int32(value.length), value];
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** The bytes in chunks of these sizes, repeated as needed. */
export async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Sizes to cut a stream by, small ones often. */
export const chunkSizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 100_000 })), {
  minLength: 1,
  maxLength: 20,
});

export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
