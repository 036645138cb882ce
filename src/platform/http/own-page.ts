/** Refuses requests that a page of another site made a browser send, because they would carry our cookies, or leave new ones. */
import type { IncomingHttpHeaders } from 'node:http';
import { PermissionDenied } from '../errors.ts';

/** `none`: a person typed the address. `same-site` is refused, because other subdomains and ports are not ours. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Browsers say in `Sec-Fetch-Site` where a request comes from, but not to plain `http` beyond this machine; all of them send `Origin`
 * with a change. A request without either comes from no page.
 * @param base the public address: a proxy may have replaced the header `Host`
 * @throws PermissionDenied
 */
export function ensureOwnPage({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders, base: URL): void {
  const isOurs = site === undefined ? isOrigin(origin, [base.host, host]) : OWN_SITES.includes(site);
  // tooth: own-page
  if (!isOurs) throw new PermissionDenied('CSRF Failed: the request comes from a page of another site.');
}

/** Pages without an origin, such as a frame in a sandbox, send `null`. */
function isOrigin(origin: string | undefined, hosts: readonly (string | undefined)[]): boolean {
  return origin === undefined || (URL.canParse(origin) && hosts.includes(new URL(origin).host));
}
