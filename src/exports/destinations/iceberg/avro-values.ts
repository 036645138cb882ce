/**
 * Decodes Avro values by the schema of their writer (https://avro.apache.org/docs/1.12.0/specification/#binary-encoding). The bytes and the
 * schema may be anybody's, so nothing is read past the end, and no count is believed that more values than bytes would need.
 */
import { UnreadableFile } from '../../formats/unreadable.ts';

type Named = { readonly name: string; readonly namespace?: string };
type Complex =
  | ({ type: 'record'; fields: readonly { name: string; type: Schema; 'field-id'?: number }[] } & Named)
  | ({ type: 'enum'; symbols: readonly string[] } & Named)
  | ({ type: 'fixed'; size: number } & Named)
  | { type: 'array'; items: Schema }
  | { type: 'map'; values: Schema }
  | { type: Schema };
/** As the JSON of a file has it; not checked beyond what decoding needs. */
export type Schema = string | Complex | readonly Schema[];

/** Reads one value and moves on. @throws UnreadableFile */
export type Decode = (bytes: ByteReader) => unknown;

const MAX_VARINT_BYTES = 10;

/** A position in bytes. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): Buffer {
    if (!(length >= 0 && length <= this.left)) throw new UnreadableFile('it ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  long(): bigint {
    let zigzag = 0n;
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      const byte = this.take(1)[0]!;
      zigzag |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asIntN(64, (zigzag >> 1n) ^ -(zigzag & 1n));
    }
    throw new UnreadableFile('a number is too long');
  }

  int(): number {
    return Number(this.long());
  }

  /** A number of values that follow. */
  count(): number {
    const count = this.int();
    if (count > this.left) throw new UnreadableFile('it ends too early');
    return count;
  }

  bytes(): Buffer {
    return this.take(this.int());
  }

  text(): string {
    return this.bytes().toString();
  }
}

const PRIMITIVES: Readonly<Record<string, Decode>> = {
  null: () => null,
  boolean: (bytes) => bytes.take(1)[0] === 1,
  int: (bytes) => bytes.int(),
  long: (bytes) => bytes.long(),
  float: (bytes) => bytes.take(4).readFloatLE(),
  double: (bytes) => bytes.take(8).readDoubleLE(),
  bytes: (bytes) => bytes.bytes(),
  string: (bytes) => bytes.text(),
};

/**
 * @param names of fields by their ids, in place of those in the schema
 * @returns values as `writeAvro` takes them: longs are bigints, and a union is the value in it
 * @throws UnreadableFile for a schema that is none
 */
export function decoderOf(schema: Schema, names: ReadonlyMap<number, string> = new Map()): Decode {
  const named = new Map<string, Decode>();

  function declare({ name, namespace }: Named, decode: Decode): Decode {
    for (const one of [name, `${namespace}.${name}`]) named.set(one, decode);
    return decode;
  }

  function decoderFor(one: Schema): Decode {
    if (typeof one === 'string') {
      if (Object.hasOwn(PRIMITIVES, one)) return PRIMITIVES[one]!;
      // A record may contain itself, so the name is looked up when a value is read.
      return (bytes) => (named.get(one) ?? refuse)(bytes);
    }
    if ('length' in one) return union(one.map(decoderFor));
    if (one.type === 'record' && 'fields' in one) return decodeFields(one);
    if (one.type === 'array' && 'items' in one) return array(decoderFor(one.items));
    if (one.type === 'map' && 'values' in one) return map(decoderFor(one.values));
    if (one.type === 'enum' && 'symbols' in one) return declare(one, (bytes) => one.symbols[bytes.int()]);
    if (one.type === 'fixed' && 'size' in one) return declare(one, (bytes) => Buffer.from(bytes.take(one.size)));
    return decoderFor(one.type);
  }

  function decodeFields(one: Extract<Complex, { fields: unknown }>): Decode {
    const fields: [string, Decode][] = [];
    const decode = declare(one, (bytes) => Object.fromEntries(fields.map(([name, field]) => [name, field(bytes)])));
    for (const { name, type, 'field-id': id } of one.fields)
      fields.push([names.get(id ?? -1) ?? name, decoderFor(type)]);
    return decode;
  }

  return decoderFor(schema);
}

function refuse(): never {
  throw new UnreadableFile('its schema is not valid');
}

const union =
  (branches: readonly Decode[]): Decode =>
  (bytes) =>
    (branches[bytes.int()] ?? refuse)(bytes);

function array(item: Decode): Decode {
  return (bytes) => {
    const items: unknown[] = [];
    for (const _ of valuesIn(bytes)) items.push(item(bytes));
    return items;
  };
}

function map(value: Decode): Decode {
  return (bytes) => {
    const entries: [string, unknown][] = [];
    for (const _ of valuesIn(bytes)) entries.push([bytes.text(), value(bytes)]);
    return Object.fromEntries(entries);
  };
}

/** Yields once for each value of an array or a map. A negative count comes with the number of bytes. */
function* valuesIn(bytes: ByteReader): Generator<void> {
  for (let count = bytes.count(); count !== 0; count = bytes.count()) {
    if (count < 0) bytes.long();
    if (-count > bytes.left) throw new UnreadableFile('it ends too early');
    for (let n = Math.abs(count); n > 0; n--) yield;
  }
}
