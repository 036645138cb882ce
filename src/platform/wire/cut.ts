/**
 * @param max limit in code points, by which other servers of the protocol count: no code point is cut in half, and an id is cut to the
 *   same text everywhere
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point has two units at most.
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('');
}
