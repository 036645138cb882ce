/**
 * Stands in for the package `entities`, which markdown-it uses: its table of names is a third of the Markdown code, and browsers have the
 * same table. The build (`console/build.ts`) replaces the package by this file.
 */

/** @param entity as `&copy;` @returns its character, or the text as it is if there is none of that name */
export function decodeHTMLStrict(entity: string): string {
  // The letter before keeps white space, which a parser drops at the start of a page.
  const { textContent } = new DOMParser().parseFromString(`x${entity}`, 'text/html').body;
  const decoded = textContent.slice(1);
  // No name stands for more than two characters: of a longer text only the beginning was a name, as in `&nothing;`.
  return decoded.length > 2 ? entity : decoded;
}
