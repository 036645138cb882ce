/** Credentials in a request for a shared page: the link, and perhaps a password, or the token of a password that was given before. */
import type { IncomingMessage } from 'node:http';
import { cookieValues, setCookie } from '../../platform/http/parameters/cookies.ts';
import { isUrlEncoded, readJson, readUrlEncoded } from '../../platform/http/body.ts';
import { SHARE_TOKEN_SECONDS } from './share-tokens.ts';

export type Visit = {
  /** Without `.json`. */
  path: string;
  token: string;
  type: 'scene' | 'embed';
  asksForJson: boolean;
};

const COOKIE = 'posthog_sharing_token';

/** Tokens in the header and in cookies; pages at several paths may each have set a cookie. */
export function tokensOf({ headers }: IncomingMessage): string[] {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return [...(bearer === undefined ? [] : [bearer]), ...cookieValues(headers, COOKIE)];
}

/** A cookie for this page only, hidden from scripts. A frame in another site gets it if the browser keeps cookies by site. */
export function cookieOf(shareToken: string, { path, type }: Visit, isSecure: boolean): string {
  return setCookie({
    name: COOKIE,
    value: shareToken,
    path,
    maxAge: SHARE_TOKEN_SECONDS,
    httpOnly: true,
    secure: isSecure,
    ...(isSecure && type === 'embed' && { sameSite: 'none', partitioned: true }),
  });
}

/**
 * Reads the password from a form of our page, or from JSON of scripts.
 * @returns an empty password, which is never right, when none was sent
 * @throws as `readJson` does
 */
export async function readPassword(request: IncomingMessage): Promise<{ password: string; isForm: boolean }> {
  const isForm = isUrlEncoded(request);
  const body = isForm ? await readUrlEncoded(request) : await readJson(request);
  const { password } = (body ?? {}) as { password?: unknown };
  return { password: typeof password === 'string' ? password : '', isForm };
}
