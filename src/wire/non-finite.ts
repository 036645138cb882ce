/** Numbers that JSON does not have, though Python's `json.dumps` and others write them. */

const NAMES = ['NaN', 'Infinity', '-Infinity'].map((name) => Buffer.from(name));
/** By their first bytes. */
const NAMED = new Map(NAMES.map((name) => [name[0]!, name]));
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** @returns the same with `null` for each of these numbers, but not inside texts; undefined when there are none */
export function withoutNonFinite(json: Buffer): Buffer | undefined {
  if (!NAMES.some((name) => json.includes(name))) return undefined;
  // The shortest name grows from three bytes to four.
  const changed = Buffer.allocUnsafe(Math.ceil((json.length * 4) / 3));
  let length = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]!;
    const name = inText ? undefined : NAMED.get(json[at]!);
    if (name !== undefined && isAt(json, at, name)) {
      length += changed.write('null', length, 'latin1');
      at += name.length - 1;
      continue;
    }
    changed[length++] = byte;
    if (byte === QUOTE) inText = !inText;
    else if (byte === BACKSLASH && at + 1 < json.length) changed[length++] = json[++at]!;
  }
  return changed.subarray(0, length);
}

/** Byte by byte: a body may be nothing but first bytes. */
function isAt(json: Buffer, at: number, name: Buffer): boolean {
  return name.every((byte, index) => json[at + index] === byte);
}
