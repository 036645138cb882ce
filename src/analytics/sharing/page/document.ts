/** An HTML document that runs nothing, loads nothing and sends nothing. Its only stylesheet is inline, and allowed by its hash. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { h, type ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';

export type Page = { html: string; headers: Readonly<Record<string, string>> };

export type DocumentParts = {
  title: string;
  body: ComponentChild;
  theme: 'light' | 'dark' | 'system';
  /** Rules of the stylesheet for this page alone. They are made of our own numbers, never of text that users typed. */
  rules?: string;
  /** Whether the page may send a form to its own origin. */
  takesForms?: boolean;
};

const STYLES = ['../charts/tokens.css', '../charts/charts.css', 'page.css']
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('');

export function documentOf({ title, body, theme, rules = '', takesForms = false }: DocumentParts): Page {
  // On phones and paper tiles stand below each other.
  const styles = rules === '' ? STYLES : `${STYLES}@media screen and (min-width:48rem){${rules}}`;
  const document = h(
    'html',
    { lang: 'en', 'data-theme': theme },
    h(
      'head',
      null,
      h('meta', { charset: 'utf-8' }),
      h('title', null, title),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'robots', content: 'noindex, nofollow' }),
      h('style', { dangerouslySetInnerHTML: { __html: styles } }),
    ),
    h('body', { class: 'charts' }, body),
  );
  return { html: `<!doctype html>${renderToString(document)}`, headers: headersOf(styles, takesForms) };
}

/** @returns headers that let every other page show this one in a frame, because links are shared for that */
function headersOf(styles: string, takesForms: boolean): Record<string, string> {
  const hash = createHash('sha256').update(styles).digest('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `form-action ${takesForms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    'frame-ancestors *',
  ];
  return {
    ...PRIVATE_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
  };
}

/** The address opens the page, so it is not passed on to other sites. */
export const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;
