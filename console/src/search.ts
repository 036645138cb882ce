/** The query of an address, as people write it: `?attempt=1&text=no such bucket`, all texts, without quotes. */

/**
 * Addresses of before had in quotes each text that could be read as something else: `?attempt="1"`. They keep their meaning.
 * @returns the text itself where it is none of these
 */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const inner = JSON.parse(text) as string;
    JSON.parse(inner);
    return inner;
  } catch {
    return text;
  }
}

export function parseSearch(query: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, unquoted(value)]));
}

/** A text that would be taken for one of before is put in quotes once more, so that each address is read as it was written. */
export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const texts = given.map(([name, value]) => [name, String(value)] as const);
  const query = new URLSearchParams(
    texts.map(([name, text]) => [name, unquoted(text) === text ? text : JSON.stringify(text)]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}
