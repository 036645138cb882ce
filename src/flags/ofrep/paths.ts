/** The paths of the protocol, each with or without a trailing slash. */
import { EVENT_STREAM_PATH } from './event-streams.ts';

export type OfrepPath = { of: 'flag'; key: string } | { of: 'flags' } | { of: 'events' };

export const EVALUATE_PATH = '/ofrep/v1/evaluate/flags';

/** @returns undefined for other paths */
export function ofrepPathOf(url: string): OfrepPath | undefined {
  if (!url.startsWith('/ofrep/')) return undefined;
  const path = url.split('?', 1)[0]!.replace(/\/$/, '');
  if (path === EVENT_STREAM_PATH) return { of: 'events' };
  if (path === EVALUATE_PATH) return { of: 'flags' };
  const encodedKey = path.startsWith(`${EVALUATE_PATH}/`) ? path.slice(EVALUATE_PATH.length + 1) : '/';
  const key = encodedKey.includes('/') ? undefined : decode(encodedKey);
  return key === undefined ? undefined : { of: 'flag', key };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
