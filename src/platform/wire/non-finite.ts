/** Replaces numbers that JSON does not have, though Python's `json.dumps` and others write them. */

const NAMES = ['NaN', 'Infinity'].map((name) => Buffer.from(name));
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const codeOf = (letter: string) => letter.charCodeAt(0);
const [N, A] = [codeOf('N'), codeOf('a')];
const [I, n, f, i, t, y] = [codeOf('I'), codeOf('n'), codeOf('f'), codeOf('i'), codeOf('t'), codeOf('y')];
const [u, l] = [codeOf('u'), codeOf('l')];

/**
 * Compares and writes single bytes. A body may be twenty million minus signs, or seven million times NaN; a call into Node or a callback for
 * each would keep all other requests waiting.
 * @returns the text with `null` for each of these numbers, except inside strings; undefined when there are none
 */
export function withoutNonFinite(json: Buffer): Buffer | undefined {
  if (!NAMES.some((name) => json.includes(name))) return undefined;
  // The shortest name grows from three bytes to four.
  const output = Buffer.allocUnsafe(Math.ceil((json.length * 4) / 3));
  let length = 0;
  let isInText = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index]!;
    const nameLength = isInText ? 0 : nameLengthAt(json, index, byte);
    if (nameLength > 0) {
      output[length] = n;
      output[length + 1] = u;
      output[length + 2] = l;
      output[length + 3] = l;
      length += 4;
      index += nameLength - 1;
      continue;
    }
    output[length++] = byte;
    if (byte === QUOTE) isInText = !isInText;
    else if (byte === BACKSLASH && index + 1 < json.length) output[length++] = json[++index]!;
  }
  return output.subarray(0, length);
}

/** @returns the length of the name that begins here; 0: none does */
function nameLengthAt(json: Buffer, offset: number, first: number): number {
  if (first === N) return json[offset + 1] === A && json[offset + 2] === N ? 3 : 0;
  if (first === I) return isInfinity(json, offset) ? 8 : 0;
  if (first === MINUS) return json[offset + 1] === I && isInfinity(json, offset + 1) ? 9 : 0;
  return 0;
}

function isInfinity(json: Buffer, offset: number): boolean {
  const begins = json[offset + 1] === n && json[offset + 2] === f && json[offset + 3] === i;
  return begins && json[offset + 4] === n && json[offset + 5] === i && json[offset + 6] === t && json[offset + 7] === y;
}
