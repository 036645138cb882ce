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
 * Compares and writes single bytes: a body may be twenty million minus signs, or seven million times NaN, and a call into Node or a
 * callback for each would keep all other requests waiting.
 * @returns the text with `null` for each of these numbers, except inside strings; undefined when there are none
 */
export function withoutNonFinite(json: Buffer): Buffer | undefined {
  if (!NAMES.some((name) => json.includes(name))) return undefined;
  // The shortest name grows from three bytes to four.
  const changed = Buffer.allocUnsafe(Math.ceil((json.length * 4) / 3));
  let length = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]!;
    const nameLength = isInText ? 0 : nameLengthAt(json, at, byte);
    if (nameLength > 0) {
      changed[length] = n;
      changed[length + 1] = u;
      changed[length + 2] = l;
      changed[length + 3] = l;
      length += 4;
      at += nameLength - 1;
      continue;
    }
    changed[length++] = byte;
    if (byte === QUOTE) isInText = !isInText;
    else if (byte === BACKSLASH && at + 1 < json.length) changed[length++] = json[++at]!;
  }
  return changed.subarray(0, length);
}

/** @returns the length of the name that begins here; 0: none does */
function nameLengthAt(json: Buffer, at: number, first: number): number {
  if (first === N) return json[at + 1] === A && json[at + 2] === N ? 3 : 0;
  if (first === I) return isInfinity(json, at) ? 8 : 0;
  if (first === MINUS) return json[at + 1] === I && isInfinity(json, at + 1) ? 9 : 0;
  return 0;
}

function isInfinity(json: Buffer, at: number): boolean {
  const begins = json[at + 1] === n && json[at + 2] === f && json[at + 3] === i;
  return begins && json[at + 4] === n && json[at + 5] === i && json[at + 6] === t && json[at + 7] === y;
}
