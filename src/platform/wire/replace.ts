/**
 * Replaces one UTF-16 unit by another. V8's `replaceAll` makes a string for each match and joins them at the end: twenty million plus
 * signs, which are 20 kB of gzip, took seconds and a gigabyte.
 */
export function replaceUnit(text: string, from: string, to: string): string {
  if (!text.includes(from)) return text;
  const bytes = Buffer.from(text, 'utf16le');
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  const [old, next] = [from.charCodeAt(0), to.charCodeAt(0)];
  for (let index = 0; index < units.length; index += 1) if (units[index] === old) units[index] = next;
  return bytes.toString('utf16le');
}
