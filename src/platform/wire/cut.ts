/**
 * @param most limit in code points, by which other servers of the protocol count: no code point is cut in half, and an id is cut to the
 *   same text everywhere
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // A code point has two units at most.
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('');
}
