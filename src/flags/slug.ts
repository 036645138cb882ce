/** Turns a name into an identifier of plain letters. */

/** Letters without their accents, digits, `-` and `_`, as Django's slugify makes them; may be empty. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/[^\x20-\x7e\s]/g, '');
  return plain
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, '');
}
