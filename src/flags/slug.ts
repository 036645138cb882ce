/** Turns a name into plain letters, for places that allow no others. */

/** Letters without their accents, digits, `-` and `_`, as Django's slugify makes them; may be empty. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/[^\x20-\x7e\s]/g, '');
  return plain
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, '');
}
