/** Searches one text in another in linear time; the engine's own search may take the product of their lengths. */

/** Length of a searched text, in UTF-16 units, up to which the engine's own search is faster, and never slow. */
const SHORT = 64;

/** @returns a function that tests whether a text contains the searched one */
export function createSearch(searched: string): (text: string) => boolean {
  if (searched.length <= SHORT) return (text) => text.includes(searched);
  let borders: Int32Array | undefined;
  return (text) => text.length >= searched.length && isContained(searched, text, (borders ??= bordersOf(searched)));
}

/** Returns, for each prefix, the length of the longest shorter prefix that also ends it (Knuth, Morris, Pratt). */
function bordersOf(searched: string): Int32Array {
  const borders = new Int32Array(searched.length);
  let length = 0;
  for (let at = 1; at < searched.length; at++) {
    const unit = searched.charCodeAt(at);
    while (length > 0 && searched.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (searched.charCodeAt(length) === unit) length++;
    borders[at] = length;
  }
  return borders;
}

function isContained(searched: string, text: string, borders: Int32Array): boolean {
  let matchedLength = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    while (matchedLength > 0 && searched.charCodeAt(matchedLength) !== unit)
      matchedLength = borders[matchedLength - 1]!;
    if (searched.charCodeAt(matchedLength) === unit) matchedLength++;
    if (matchedLength === searched.length) return true;
  }
  return false;
}
