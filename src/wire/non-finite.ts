/** Numbers that JSON does not have, though Python's `json.dumps` and others write them. */

const NAMES = ['NaN', 'Infinity', '-Infinity'];
const FIRST_BYTES = new Set(NAMES.map((name) => name.charCodeAt(0)));
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
    const name = inText ? undefined : nameAt(json, at);
    if (name !== undefined) {
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

function nameAt(json: Buffer, at: number): string | undefined {
  if (!FIRST_BYTES.has(json[at]!)) return undefined;
  return NAMES.find((name) => json.toString('latin1', at, at + name.length) === name);
}
