/** Finds the site that a page belongs to. */
import { getDomain } from 'tldts';

/** Limit above the length that a host and its port may have. */
const MAX_LENGTH = 300;

/**
 * @param host with or without a port, or a URL
 * @returns the registrable domain, or the host if it has none (such as an address), with the port; undefined if no site is named
 */
export function siteOf(host: string): string | undefined {
  const text = host.slice(0, MAX_LENGTH).trim();
  // `null` is the origin of pages that have none.
  if (text === '' || text === 'null') return undefined;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url) return text;
  const domain = getDomain(url.hostname) ?? url.hostname;
  return url.port === '' ? domain : `${domain}:${url.port}`;
}
