/** The query of an address, as people write it: `?attempt=1&text=no such bucket`, all texts, without quotes. */

/**
 * Removes the quotes of the former format, which quoted texts that are JSON: `?attempt="1"`.
 * @returns the text itself if it has no such quotes
 */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const unquotedText = JSON.parse(text) as string;
    JSON.parse(unquotedText);
    return unquotedText;
  } catch {
    return text;
  }
}

export function parseSearch(query: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, unquoted(value)]));
}

/** Quotes a text that would be read as the former format, so every address is read as it was written. */
export function stringifySearch(search: Record<string, unknown>): string {
  const presentEntries = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const texts = presentEntries.map(([name, value]) => [name, String(value)] as const);
  const query = new URLSearchParams(
    texts.map(([name, text]) => [name, unquoted(text) === text ? text : JSON.stringify(text)]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}
