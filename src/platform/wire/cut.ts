/**
 * @param most code points, by which other servers of the protocol count: none is cut in half, and what was stored under an id is found
 *   under it
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // A code point has two units at most.
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('');
}
