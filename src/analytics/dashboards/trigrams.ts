/**
 * Recognizes names despite typing errors, by the share of common trigrams of two words. The extension `pg_trgm` compares in the same
 * way, but is not always installed.
 */

/** Default threshold of `pg_trgm`, which `alpha` and `alpah` just reach. */
const MIN_SIMILARITY = 0.3;

/** Whether each word of the search is like some word of the name. */
export function resembles(search: string, name: string): boolean {
  const [wanted, given] = [wordsOf(search), wordsOf(name)];
  return wanted.length > 0 && wanted.every((word) => given.some((other) => similarity(word, other) >= MIN_SIMILARITY));
}

function wordsOf(text: string): Set<string>[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].map(trigramsOf);
}

/** Pads the word with two spaces before and one behind, so beginnings weigh more than ends. */
function trigramsOf(word: string): Set<string> {
  const padded = `  ${word} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

/** Share of their trigrams that both have: from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((trigram) => b.has(trigram)).length;
  return common / (a.size + b.size - common);
}
