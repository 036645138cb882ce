/** Addresses that people wrote, before strangers may follow them. */

const ABSOLUTE = ['http:', 'https:', 'mailto:'];
const MAX_LENGTH = 2_000;

/**
 * @param text an absolute address, or a path of this site
 * @returns undefined for all else: scripts, data, other protocols, and paths that would be another host
 */
export function safeLink(text: string): string | undefined {
  // Browsers drop these before they look at the protocol, and take a backslash for a slash.
  // oxlint-disable-next-line no-control-regex
  if (text.length > MAX_LENGTH || /[\u0000-\u0020\u007f\\]/.test(text)) return undefined;
  if (text.startsWith('/')) return text.startsWith('//') ? undefined : text;
  return URL.canParse(text) && ABSOLUTE.includes(new URL(text).protocol) ? text : undefined;
}

/** The other page learns neither this one's address nor gets hold of its window. */
export const LINK_ATTRIBUTES = { rel: 'noopener noreferrer nofollow', target: '_blank' } as const;
