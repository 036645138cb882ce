/**
 * Tokens for strangers who gave the right password. A token opens the shared page of its link and nothing else, for a day, and only while
 * the password is active.
 *
 * The token is a JWT: header, claims and a signature. Only tokens that we signed are read.
 */
import type { KeyRing } from '../../platform/secrets/key-ring.ts';

export const SHARE_TOKEN_SECONDS = 86_400;
const PURPOSE = 'shared pages';
const HEADER = encode({ alg: 'HS256', typ: 'JWT' });
/** Base64url; the signature also has the dot after the name of its key. */
const FORM = /^([\w-]{1,100}\.([\w-]{1,1000}))\.([\w.-]{1,200})$/;

export type ShareClaims = {
  share_password_id: number;
  /** The project. */
  team_id: number;
  /** The token of the link. */
  access_token: string;
};

export type ShareTokens = {
  issue(claims: ShareClaims): string;
  /** @returns undefined when it is not ours, or too old */
  read(token: string): ShareClaims | undefined;
};

/** @param now milliseconds since 1970 */
export function createShareTokens(
  ring: Pick<KeyRing, 'sign' | 'hasSigned'>,
  now: () => number = Date.now,
): ShareTokens {
  return {
    issue(claims) {
      const exp = Math.floor(now() / 1000) + SHARE_TOKEN_SECONDS;
      const text = `${HEADER}.${encode({ ...claims, exp })}`;
      return `${text}.${ring.sign(text, PURPOSE)}`;
    },

    read(token) {
      const [, text, claims = '', signature] = FORM.exec(token) ?? [];
      // tooth: share-signature
      if (text === undefined || signature === undefined || !ring.hasSigned(text, PURPOSE, signature)) return undefined;
      // The content is what this server wrote, because the signature is its own.
      const { exp, ...others } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as ShareClaims & {
        exp: number;
      };
      // tooth: share-expiry
      return exp * 1000 > now() ? others : undefined;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
