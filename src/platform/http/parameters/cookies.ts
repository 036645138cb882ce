/** Cookies as browsers send and take them. */
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie, type SetCookie } from 'cookie';

/** Values of the cookie in the order of the header, because several paths may have set one. */
export function cookieValues({ cookie = '' }: IncomingHttpHeaders, name: string): string[] {
  return cookie.split(';').flatMap((pair) => parseCookie(pair)[name] ?? []);
}

/** A cookie that is set for pages of one site. @returns a value of `Set-Cookie` */
export function setCookie(cookie: SetCookie): string {
  return stringifySetCookie({ sameSite: 'lax', ...cookie });
}
