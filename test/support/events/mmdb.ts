/** Writes small databases in MaxMind's format: https://maxmind.github.io/MaxMind-DB/ */

export type Value = string | number | Value[] | { [name: string]: Value };

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const SEPARATOR_BYTES = 16;

/**
 * @param places records by IPv4 address
 * @returns the file: a tree over the bits of IPv6 addresses, in which IPv4 is `::/96`; the records; how to read it
 */
export function writeMmdb(places: Record<string, Value>): Buffer {
  const data = Buffer.concat(Object.values(places).map(encode));
  const nodes: [number, number][] = [[0, 0]];
  let offset = 0;
  for (const [address, place] of Object.entries(places)) {
    grow(nodes, bitsOf(address), -1 - offset);
    offset += encode(place).length;
  }
  const tree = Buffer.concat(nodes.map((node) => Buffer.concat(node.map((record) => recordOf(record, nodes.length)))));
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_431_857_103,
    database_type: 'Test',
    description: { en: 'Made by a test' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  });
  return Buffer.concat([tree, Buffer.alloc(SEPARATOR_BYTES), data, MARKER, metadata]);
}

function bitsOf(address: string): number[] {
  const bytes = [...Array<number>(12).fill(0), ...address.split('.').map(Number)];
  return bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
}

/** During construction, 0 means empty, a positive record is the index of a node, and a negative one is `-1 - offset` of data. */
function grow(nodes: [number, number][], bits: number[], leaf: number): void {
  let node = nodes[0]!;
  for (const bit of bits.slice(0, -1)) {
    node[bit] ||= nodes.push([0, 0]) - 1;
    node = nodes[node[bit]!]!;
  }
  node[bits.at(-1)!] = leaf;
}

function recordOf(record: number, nodeCount: number): Buffer {
  const bytes = Buffer.alloc(3);
  const points = record < 0 ? nodeCount + SEPARATOR_BYTES + (-1 - record) : record || nodeCount;
  bytes.writeUIntBE(points, 0, 3);
  return bytes;
}

const TYPE = { text: 2, double: 3, uint32: 6, map: 7, array: 11 };

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([controlBytes(TYPE.text, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') return encodeNumber(value);
  if (Array.isArray(value)) return Buffer.concat([controlBytes(TYPE.array, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([controlBytes(TYPE.map, entries.length), ...entries.flat().map(encode)]);
}

function encodeNumber(value: number): Buffer {
  const whole = Number.isInteger(value) && value >= 0;
  const bytes = Buffer.alloc(whole ? 4 : 8);
  if (whole) bytes.writeUInt32BE(value);
  else bytes.writeDoubleBE(value);
  return Buffer.concat([controlBytes(whole ? TYPE.uint32 : TYPE.double, bytes.length), bytes]);
}

/** Three bits of type, five of size; sizes from 29 to 284 have a byte of their own, and so have types above 7. */
function controlBytes(type: number, size: number): Buffer {
  const [high, more] = size < 29 ? [size, []] : [29, [size - 29]];
  return type < 8 ? Buffer.from([(type << 5) | high, ...more]) : Buffer.from([high, type - 7, ...more]);
}
