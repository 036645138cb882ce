/** Checks the URLs of users' own services. Contacts name servers only. */
import { isIP } from 'node:net';
import { checkHost } from './connect.ts';
import { HostRefused, type HostRules } from './host-rules.ts';

/** Ports of services that do not speak HTTP; a request to one would be an attack, not an export. */
const OTHER_SERVICES = new Set([1433, 1521, 2049, 2379, 2380, 3306, 3389, 5432, 6000, 6379, 6667, 9042, 11211, 27017]);

/**
 * @returns the origin (`https://host[:port]`), lower case
 * @throws HostRefused for anything but an origin: userinfo, path, query, fragment; for ports below 1024 other than 80 and 443, or of
 *   well-known other services; for `http:` unless the operator lists the host; for a host that may not be contacted
 */
export async function checkEndpoint(text: string, rules: HostRules): Promise<string> {
  const match = /^(https?):\/\/([^/?#@\\\s]+?)(?::(\d{1,5}))?\/?$/i.exec(text);
  if (!match) throw new HostRefused();
  const [, scheme, hostText, portText] = match;
  const secure = scheme!.toLowerCase() === 'https';
  const port = Number(portText ?? (secure ? 443 : 80));
  if (!isHttpPort(port)) throw new HostRefused();
  // Without brackets a URL reads the part after an address's colon as a port.
  if (isIP(hostText!) === 6 || !URL.canParse(text)) throw new HostRefused();
  const { listed } = await checkHost(hostText!, rules);
  // tooth: endpoint-plain-http
  if (!secure && !listed) throw new HostRefused();
  return new URL(text).origin;
}

function isHttpPort(port: number): boolean {
  if (port === 80 || port === 443) return true;
  // tooth: endpoint-ports
  return port >= 1024 && port <= 65_535 && !OTHER_SERVICES.has(port);
}

/**
 * Like `checkEndpoint`, for the address of one page, which may have a path and a query.
 * @throws HostRefused, also for userinfo and fragments
 */
export async function checkUrl(text: string, rules: HostRules): Promise<URL> {
  const match = /^(https?:\/\/[^/?#\\\s]+)([/?][\x21-\x7e]*)?$/i.exec(text);
  if (!match || text.includes('#') || text.includes('\\')) throw new HostRefused();
  await checkEndpoint(match[1]!, rules);
  if (!URL.canParse(text)) throw new HostRefused();
  return new URL(text);
}
