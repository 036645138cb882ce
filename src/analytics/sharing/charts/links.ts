/** Checks addresses that users wrote, before strangers may follow them. */

const ABSOLUTE = ['http:', 'https:', 'mailto:'];
const MAX_LENGTH = 2_000;

/**
 * @param text an absolute address, or a path of this site
 * @returns undefined for all else: scripts, data, other protocols, and paths that would be another host
 */
export function safeLink(text: string): string | undefined {
  // Browsers drop these characters before they look at the protocol, and read a backslash as a slash.
  // oxlint-disable-next-line no-control-regex
  if (text.length > MAX_LENGTH || /[\u0000-\u0020\u007f\\]/.test(text)) return undefined;
  if (text.startsWith('/')) return text.startsWith('//') ? undefined : text;
  return URL.canParse(text) && ABSOLUTE.includes(new URL(text).protocol) ? text : undefined;
}

/** Attributes that keep this page's address and its window from the other page. */
export const LINK_ATTRIBUTES = { rel: 'noopener noreferrer nofollow', target: '_blank' } as const;
