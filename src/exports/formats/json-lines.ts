/**
 * JSON lines: one object per row, with keys in the order of the columns. Most bytes are copied as they are, because jsonb arrives as
 * JSON text, and text as UTF-8 that rarely needs an escape.
 */
import type { Column, ColumnType } from '../../conditions/rows/columns.ts';
import type { BlockWriter } from './block-writer.ts';
import type { CopyBinaryReader } from './copy-binary.ts';
import { dateText, INSTANT_BYTES, InstantWriter } from './instant.ts';
import { writeUuid } from './uuid-text.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NULL = Buffer.from('null');
const ROW_END = Buffer.from('}\n');
/** Space that is enough for any value but text and jsonb; the longest, a quoted uuid, has 38 bytes. */
const SCALAR_BYTES = 48;
/** Text up to this length is checked and copied in one loop; for longer text, a check and a native copy are faster. */
const SHORT_TEXT_BYTES = 64;
/** Length of the longest escapes, such as `\u001f`. */
const LONGEST_ESCAPE = 6;
/** Text that needs escapes is written in pieces of this length. */
const PIECE_BYTES = 8 * 1024;

/** Escapes of the bytes that need one in JSON, by byte; all others are written unchanged. */
const ESCAPES: readonly (Buffer | undefined)[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH
    ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    : undefined,
);
const NEEDS_ESCAPE = Uint8Array.from(ESCAPES, (escape) => (escape ? 1 : 0));

type WriteValue = (source: Buffer, start: number, length: number) => void;

/** @returns a function that writes the reader's present row to `out` */
export function jsonLinesEncoder(columns: readonly Column[], out: BlockWriter): (row: CopyBinaryReader) => void {
  const fields = columns.map((_, i) => i).filter((i) => !columns[i]!.hidden);
  const keys = fields.map((i, n) => Buffer.from(`${n === 0 ? '{' : ','}${JSON.stringify(columns[i]!.name)}:`));
  const values = fields.map((i) => VALUE_WRITERS[columns[i]!.type](out));

  return ({ bytes, starts, lengths }) => {
    for (let n = 0; n < fields.length; n++) {
      const i = fields[n]!;
      writeConstant(out, keys[n]!);
      if (lengths[i]! < 0) writeConstant(out, NULL);
      else values[n]!(bytes, starts[i]!, lengths[i]!);
    }
    writeConstant(out, ROW_END);
    out.endRow();
  };
}

function writeConstant(out: BlockWriter, piece: Buffer): void {
  out.reserve(piece.length);
  const { bytes } = out;
  let position = out.position;
  for (let i = 0; i < piece.length; i++) bytes[position++] = piece[i]!;
  out.position = position;
}

/** Makers of writers. Each column has its own writer, because a value resembles those of the same column in other rows. */
const VALUE_WRITERS: Record<ColumnType, (out: BlockWriter) => WriteValue> = {
  uuid: (out) => (source, start) => writeQuotedUuid(out, source, start),
  text: (out) => (source, start, length) => writeText(out, source, start, start + length),
  // The first byte is the version of jsonb's binary form, 1: the JSON text follows.
  jsonb: (out) => (source, start, length) => out.copy(source, start + 1, start + length),
  timestamptz(out) {
    const instants = new InstantWriter('"');
    return (source, start) => {
      out.reserve(INSTANT_BYTES);
      out.position = instants.write(source, start, out.bytes, out.position);
    };
  },
  date: (out) => (source, start) => writeScalar(out, `"${dateText(source.readInt32BE(start))}"`),
  int4: (out) => (source, start) => writeScalar(out, source.readInt32BE(start)),
  int8: (out) => (source, start) => writeScalar(out, source.readBigInt64BE(start)),
  float8: (out) => (source, start) => writeFloat(out, source.readDoubleBE(start)),
  bool: (out) => (source, start) => writeScalar(out, source[start] === 1),
};

/** Writes a number; NaN and infinities in quotes, as Postgres’s own JSON does, because JSON has no numbers for them. */
function writeFloat(out: BlockWriter, value: number): void {
  writeScalar(out, Number.isFinite(value) ? value : `"${value}"`);
}

function writeScalar(out: BlockWriter, value: string | number | bigint | boolean): void {
  out.reserve(SCALAR_BYTES);
  out.position += out.bytes.write(String(value), out.position, 'latin1');
}

function writeQuotedUuid(out: BlockWriter, source: Buffer, start: number): void {
  out.reserve(SCALAR_BYTES);
  const { bytes } = out;
  bytes[out.position] = QUOTE;
  const end = writeUuid(source, start, bytes, out.position + 1);
  bytes[end] = QUOTE;
  out.position = end + 1;
}

function writeText(out: BlockWriter, source: Buffer, start: number, end: number): void {
  writeQuote(out);
  if (end - start <= SHORT_TEXT_BYTES) writeEscaped(out, source, start, end);
  else if (isPlain(source, start, end)) out.copy(source, start, end);
  else
    for (let index = start; index < end; index += PIECE_BYTES)
      writeEscaped(out, source, index, Math.min(index + PIECE_BYTES, end));
  writeQuote(out);
}

function writeQuote(out: BlockWriter): void {
  out.reserve(1);
  out.bytes[out.position++] = QUOTE;
}

function isPlain(source: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (NEEDS_ESCAPE[source[i]!] === 1) return false;
  return true;
}

/** Writes at most PIECE_BYTES of text with the escapes that JSON demands. */
function writeEscaped(out: BlockWriter, source: Buffer, start: number, end: number): void {
  out.reserve((end - start) * LONGEST_ESCAPE);
  const { bytes } = out;
  let position = out.position;
  for (let i = start; i < end; i++) {
    const byte = source[i]!;
    const escape = ESCAPES[byte];
    if (escape === undefined) bytes[position++] = byte;
    else for (let k = 0; k < escape.length; k++) bytes[position++] = escape[k]!;
  }
  out.position = position;
}
