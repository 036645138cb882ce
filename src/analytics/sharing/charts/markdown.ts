/** Texts of tiles: Markdown without HTML, without pictures (their server would learn who views the page), and with safe links only. */
import MarkdownIt, { type Token } from 'markdown-it';
import { LINK_ATTRIBUTES, safeLink } from './links.ts';

/** Limit of lists within lists; deeper ones stay text. */
const MAX_NESTING = 20;
/** The page and its tiles use the first two levels of headings. */
export const FIRST_HEADING = 3;

const markdown = new MarkdownIt({ html: false, linkify: true }).disable('image');
markdown.options.maxNesting = MAX_NESTING;
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (address) => safeLink(address) !== undefined;

markdown.renderer.rules['link_open'] = (tokens, index, options, _environment, renderer) => {
  for (const [name, value] of Object.entries(LINK_ATTRIBUTES)) tokens[index]!.attrSet(name, value);
  return renderer.renderToken(tokens, index, options);
};
for (const rule of ['heading_open', 'heading_close']) {
  markdown.renderer.rules[rule] = (tokens, index, options, _environment, renderer) => {
    const token = tokens[index]!;
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + FIRST_HEADING - 1)}`;
    return renderer.renderToken(tokens, index, options);
  };
}

/** @returns the tokens before they become HTML, for callers that create elements; headings begin at the first level */
export function markdownTokens(text: string): Token[] {
  return markdown.parse(text, {});
}

/** @returns HTML that is safe in a page */
export function markdownToHtml(text: string): string {
  return markdown.render(text);
}
