/**
 * @param max limit in code points, by which other servers of the protocol count. No code point is cut in half, and every server cuts an id
 *   to the same text
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point has two units at most.
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('');
}
