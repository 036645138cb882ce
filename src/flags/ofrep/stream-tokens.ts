/**
 * Tokens in the URLs of event streams. Because proxies and browsers may log them, each gives access only to one project's stream, for a
 * limited time.
 *
 * All requests of one period get the same token, because providers reconnect when the URL changes. It is valid for that period and
 * the next one.
 */
import type { KeyRing } from '../../platform/secrets/key-ring.ts';

const PERIOD_SECONDS = 900;
const PURPOSE = 'ofrep event streams';
const TOKEN = /^((\d{1,10})\.(\d{1,12}))~([\w.-]{1,200})$/;

export type StreamTokens = {
  /** The number of the current period. */
  period(): number;
  issue(projectId: number): string;
  /** @returns the project of a valid token; undefined for a forged or expired one */
  read(token: string): number | undefined;
};

export function createStreamTokens(
  ring: Pick<KeyRing, 'sign' | 'hasSigned'>,
  now: () => number = Date.now,
): StreamTokens {
  const period = () => Math.floor(now() / 1000 / PERIOD_SECONDS);
  return {
    period,

    issue(projectId) {
      const text = `${projectId}.${period()}`;
      return `${text}~${ring.sign(text, PURPOSE)}`;
    },

    read(token) {
      const [, text, projectId, issued, signature] = TOKEN.exec(token) ?? [];
      if (text === undefined || signature === undefined) return undefined;
      const age = period() - Number(issued);
      if (age < 0 || age > 1 || !ring.hasSigned(text, PURPOSE, signature)) return undefined;
      return Number(projectId);
    },
  };
}
