/** Checks the URLs of users' own services. Contacts name servers only. */
import { isIP } from 'node:net';
import { checkHost } from './connect.ts';
import { HostRefused, type HostRules } from './host-rules.ts';

/** Ports of services that do not speak HTTP; a request to one would be an attack, not an export. */
const OTHER_SERVICES = new Set([1433, 1521, 2049, 2379, 2380, 3306, 3389, 5432, 6000, 6379, 6667, 9042, 11211, 27017]);

const NOT_AN_ORIGIN =
  'Must be https:// or http:// and a host, perhaps with a port, such as https://storage.example.com: without a user, a path and a query.';
const NOT_A_URL =
  'Must be an address such as https://example.com/path: with https:// or http://, without a user, a password and a fragment.';
const PORT_REFUSED =
  'This port cannot be used: use 443, 80 or one above 1023 on which no other well-known service listens.';
const PLAIN_HTTP = 'http:// is only for hosts that the operator has listed in EXPORT_ALLOWED_HOSTS. Use https://.';

/**
 * @returns the origin (`https://host[:port]`), lower case
 * @throws HostRefused for anything but an origin: userinfo, path, query, fragment; for ports below 1024 other than 80 and 443, or of
 *   well-known other services; for `http:` unless the operator lists the host; for a host that may not be contacted
 */
export async function checkEndpoint(text: string, rules: HostRules): Promise<string> {
  return checkOrigin(text, rules, NOT_AN_ORIGIN);
}

/** @param wrongForm message for a text that is no origin */
async function checkOrigin(text: string, rules: HostRules, wrongForm: string): Promise<string> {
  const match = /^(https?):\/\/([^/?#@\\\s]+?)(?::(\d{1,5}))?\/?$/i.exec(text);
  if (!match) throw new HostRefused(wrongForm);
  const [, scheme, hostText, portText] = match;
  const secure = scheme!.toLowerCase() === 'https';
  const port = Number(portText ?? (secure ? 443 : 80));
  if (!isHttpPort(port)) throw new HostRefused(PORT_REFUSED);
  // Without brackets a URL reads the part after an address's colon as a port.
  if (isIP(hostText!) === 6 || !URL.canParse(text)) throw new HostRefused();
  const { listed } = await checkHost(hostText!, rules);
  // tooth: endpoint-plain-http
  if (!secure && !listed) throw new HostRefused(PLAIN_HTTP);
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
  if (!match || text.includes('#') || text.includes('\\')) throw new HostRefused(NOT_A_URL);
  await checkOrigin(match[1]!, rules, NOT_A_URL);
  if (!URL.canParse(text)) throw new HostRefused();
  return new URL(text);
}
