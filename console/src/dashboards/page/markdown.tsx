/** Renders Markdown as elements, so typed text never becomes HTML. */
import { createElement, type ReactNode } from 'react';
import { LINK_ATTRIBUTES, safeLink } from '../../../../src/analytics/sharing/charts/links.ts';
import { FIRST_HEADING, markdownTokens } from '../../../../src/analytics/sharing/charts/markdown.ts';

type Token = ReturnType<typeof markdownTokens>[number];

/** Allowed tags; for other tags, only the content is shown. */
const TAGS = new Set(
  ['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 's', 'a', 'ul', 'ol', 'li', 'blockquote'].concat([
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ]),
);

export function Markdown({ text }: { text: string }) {
  return <div className="markdown">{nodesOf(markdownTokens(text))}</div>;
}

type Frame = { token: Token | undefined; children: ReactNode[] };

/** Builds nested nodes from the flat tokens, which mark each start and end of an element. */
function nodesOf(tokens: readonly Token[]): ReactNode[] {
  const frames: Frame[] = [{ token: undefined, children: [] }];
  for (const token of tokens) {
    if (token.nesting === 1) frames.push({ token, children: [] });
    else if (token.nesting === -1) {
      const { token: opening, children } = frames.pop()!;
      const { children: siblings } = frames.at(-1)!;
      siblings.push(opening!.hidden ? children : elementOf(opening!, children, siblings.length));
    } else {
      const { children } = frames.at(-1)!;
      children.push(leafOf(token, children.length));
    }
  }
  return frames[0]!.children;
}

function elementOf(token: Token, children: ReactNode[], key: number): ReactNode {
  if (token.tag === 'a') {
    const href = safeLink(String(token.attrGet('href') ?? ''));
    return href === undefined ? children : createElement('a', { key, href, ...LINK_ATTRIBUTES }, ...children);
  }
  return TAGS.has(token.tag) ? createElement(tagOf(token.tag), { key }, ...children) : children;
}

/** Shifts headings down, because the page and its tiles use the top levels. */
const tagOf = (tag: string): string =>
  /^h\d$/.test(tag) ? `h${Math.min(6, Number(tag.slice(1)) + FIRST_HEADING - 1)}` : tag;

function leafOf({ type, content, children }: Token, key: number): ReactNode {
  switch (type) {
    case 'inline':
      return nodesOf(children ?? []);
    case 'code_inline':
      return <code key={key}>{content}</code>;
    case 'fence':
    case 'code_block':
      return (
        <pre key={key}>
          <code>{content}</code>
        </pre>
      );
    case 'hardbreak':
      return <br key={key} />;
    case 'softbreak':
      return '\n';
    case 'hr':
      return <hr key={key} />;
    default:
      return content;
  }
}
