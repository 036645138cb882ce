/** Length of JSON in `jsonb`, which writes numbers without exponents: `1e308` becomes 309 digits. */

/** Characters that a number can gain, for each that it has: 5e-324 becomes 326. */
const MAX_GROWTH = 64;

/**
 * @param text JSON of the value
 * @param max limit of the caller: if the text cannot grow beyond it, or is longer already, numbers are not counted
 * @returns the length of the text, plus the growth of its numbers where that may matter
 */
export function storedLength(text: string, value: unknown, max: number): number {
  const isPlain = text.length > max || text.length * MAX_GROWTH <= max;
  return isPlain ? text.length : text.length + gainOf(value);
}

function gainOf(value: unknown): number {
  if (typeof value === 'number') return digitsGained(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + gainOf(item), 0);
}

/** JavaScript writes an exponent from 1e21 on, and below 1e-6. */
function digitsGained(value: number): number {
  const size = Math.abs(value);
  if (!Number.isFinite(size) || size === 0 || (size < 1e21 && size >= 1e-6)) return 0;
  return Math.ceil(Math.abs(Math.log10(size)));
}
