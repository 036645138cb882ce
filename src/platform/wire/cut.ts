/**
 * @param max limit in code points, as other servers of the protocol count, so that all of them cut an id to the same text. No code point is
 *   cut in half
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point has two units at most.
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('');
}
