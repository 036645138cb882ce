/** Searches one text in another in linear time; the engine's own search may take the product of their lengths. */

/** UTF-16 units of a wanted text up to which the engine's own search is faster, and never slow. */
const SHORT = 64;

/** @returns a function that tells whether a text contains the wanted one */
export function createSearch(wanted: string): (text: string) => boolean {
  if (wanted.length <= SHORT) return (text) => text.includes(wanted);
  let borders: Int32Array | undefined;
  return (text) => text.length >= wanted.length && isContained(wanted, text, (borders ??= bordersOf(wanted)));
}

/** Returns, for each prefix, the length of the longest shorter prefix that also ends it (Knuth, Morris, Pratt). */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at++) {
    const unit = wanted.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (wanted.charCodeAt(length) === unit) length++;
    borders[at] = length;
  }
  return borders;
}

function isContained(wanted: string, text: string, borders: Int32Array): boolean {
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (wanted.charCodeAt(matched) === unit) matched++;
    if (matched === wanted.length) return true;
  }
  return false;
}
