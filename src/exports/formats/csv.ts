/**
 * CSV as in RFC 4180: a header, CRLF after each row, quotes if a value needs them. Null is an empty cell, empty text is `""`;
 * jsonb is its JSON text. Instants, dates and numbers are written as in JSON lines, without the quotes.
 */
import type { Column, ColumnType } from '../../conditions/rows/columns.ts';
import type { BlockWriter } from './block-writer.ts';
import type { CopyBinaryReader } from './copy-binary.ts';
import { dateText, INSTANT_BYTES, InstantWriter } from './instant.ts';
import { UUID_TEXT_BYTES, writeUuid } from './uuid-text.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const APOSTROPHE = 0x27;
const ROW_END = Buffer.from('\r\n');
/** Space that is enough for a number, a boolean or a date. */
const SCALAR_BYTES = 32;
/** Text with quotes is written in pieces of this length. */
const PIECE_BYTES = 8 * 1024;

/** Spreadsheets treat cells with these first characters as formulas: https://owasp.org/www-community/attacks/CSV_Injection */
const BEGINS_FORMULA = byteSet('=+-@\t\r\n');
/** First bytes of white space, which some spreadsheets skip, and of wide characters, which some spreadsheets read as narrow ones. */
const MAY_BEGIN_FORMULA = byteSet(' \v\f\u00a0\u1680\u2003\u3000\ufeff＝');
/** White space includes the byte order mark. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;
const NEEDS_QUOTES = byteSet('",\r\n');

type WriteValue = (source: Buffer, start: number, length: number) => void;

/** Writes the header. @returns a function that writes the reader's present row to `out` */
export function csvEncoder(
  columns: readonly Column[],
  out: BlockWriter,
  { formulaSafe }: { formulaSafe: boolean },
): (row: CopyBinaryReader) => void {
  const fields = columns.map((_, i) => i).filter((i) => !columns[i]!.hidden);
  const values = fields.map((i) => VALUE_WRITERS[columns[i]!.type](out, formulaSafe));
  // Readers skip empty lines, so a row whose only value is null must not be one.
  const writeNull = fields.length === 1 ? () => writeQuoted(out, ROW_END, 0, 0) : () => {};

  for (const [n, i] of fields.entries()) {
    const name = Buffer.from(columns[i]!.name);
    if (n > 0) writeByte(out, COMMA);
    writeText(out, name, 0, name.length, formulaSafe);
  }
  endRow(out);

  return ({ bytes, starts, lengths }) => {
    for (let n = 0; n < fields.length; n++) {
      const i = fields[n]!;
      if (n > 0) writeByte(out, COMMA);
      if (lengths[i]! < 0) writeNull();
      else values[n]!(bytes, starts[i]!, lengths[i]!);
    }
    endRow(out);
  };
}

function endRow(out: BlockWriter): void {
  out.copy(ROW_END, 0, ROW_END.length);
  out.endRow();
}

const VALUE_WRITERS: Record<ColumnType, (out: BlockWriter, formulaSafe: boolean) => WriteValue> = {
  uuid: (out) => (source, start) => {
    out.reserve(UUID_TEXT_BYTES);
    out.position = writeUuid(source, start, out.bytes, out.position);
  },
  text: (out, formulaSafe) => (source, start, length) => writeText(out, source, start, start + length, formulaSafe),
  // JSON text needs no check for formulas, because only a negative number begins with one of their characters. The first byte is jsonb's version.
  jsonb: (out) => (source, start, length) => writeText(out, source, start + 1, start + length, false),
  timestamptz(out) {
    const instants = new InstantWriter('');
    return (source, start) => {
      out.reserve(INSTANT_BYTES);
      out.position = instants.write(source, start, out.bytes, out.position);
    };
  },
  date: (out) => (source, start) => writeScalar(out, dateText(source.readInt32BE(start))),
  int4: (out) => (source, start) => writeScalar(out, source.readInt32BE(start)),
  int8: (out) => (source, start) => writeScalar(out, source.readBigInt64BE(start)),
  float8: (out) => (source, start) => writeScalar(out, source.readDoubleBE(start)),
  bool: (out) => (source, start) => writeScalar(out, source[start] === 1),
};

function writeScalar(out: BlockWriter, value: string | number | bigint | boolean): void {
  out.reserve(SCALAR_BYTES);
  out.position += out.bytes.write(String(value), out.position, 'latin1');
}

function writeByte(out: BlockWriter, value: number): void {
  out.reserve(1);
  out.bytes[out.position++] = value;
}

function writeText(out: BlockWriter, source: Buffer, start: number, end: number, formulaSafe: boolean): void {
  if (start === end) return writeQuoted(out, source, start, end);
  const isFormula = formulaSafe && isFormulaAt(source, start, end);
  if (isFormula || needsQuotes(source, start, end)) return writeQuoted(out, source, start, end, isFormula);
  out.copy(source, start, end);
}

function isFormulaAt(source: Buffer, start: number, end: number): boolean {
  const first = source[start]!;
  if (MAY_BEGIN_FORMULA[first] === 1) return FORMULA.test(source.toString('utf8', start, end));
  return BEGINS_FORMULA[first] === 1;
}

function needsQuotes(source: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (NEEDS_QUOTES[source[i]!] === 1) return true;
  return false;
}

/** Writes the text in quotes, with each quote in it doubled. */
function writeQuoted(out: BlockWriter, source: Buffer, start: number, end: number, isFormula = false): void {
  writeByte(out, QUOTE);
  if (isFormula) writeByte(out, APOSTROPHE);
  for (let index = start; index < end; index += PIECE_BYTES)
    writeDoubled(out, source, index, Math.min(index + PIECE_BYTES, end));
  writeByte(out, QUOTE);
}

function writeDoubled(out: BlockWriter, source: Buffer, start: number, end: number): void {
  out.reserve(2 * (end - start));
  const { bytes } = out;
  let position = out.position;
  for (let i = start; i < end; i++) {
    const value = source[i]!;
    bytes[position++] = value;
    if (value === QUOTE) bytes[position++] = QUOTE;
  }
  out.position = position;
}

function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) set[byte] = 1;
  return set;
}
