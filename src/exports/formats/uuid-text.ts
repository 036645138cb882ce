/** A uuid's 16 bytes as text, and back. */

export const UUID_TEXT_BYTES = 36;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const DASH = 0x2d;
const HEX_DIGITS = Buffer.from('0123456789abcdef');

/** Writes UUID_TEXT_BYTES bytes at `offset`. @returns the position after them */
export function writeUuid(source: Buffer, start: number, target: Buffer, offset: number): number {
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) target[offset++] = DASH;
    const byte = source[start + i]!;
    target[offset++] = HEX_DIGITS[byte >> 4]!;
    target[offset++] = HEX_DIGITS[byte & 15]!;
  }
  return offset;
}

/** @returns the 16 bytes, or undefined for anything that is not a uuid in lower case */
export function uuidBytes(text: unknown): Uint8Array | undefined {
  return typeof text === 'string' && UUID.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : undefined;
}
