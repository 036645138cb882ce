/** Requests from a browser or a program on this machine, with no proxy between. */
import type { IncomingHttpHeaders } from 'node:http';
import { PermissionDenied } from '../errors.ts';
import { isLoopback } from '../wire/client-address.ts';

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
/** A proxy on this machine is a peer on loopback, too; proxies name themselves or their clients in one of these. */
const FORWARDING = /^(x-forwarded(-.*)?|forwarded|via|x-real-ip)$/;

/**
 * @param remoteAddress the peer of the connection, even if it is a trusted proxy
 * @throws PermissionDenied
 */
export function ensureLocal(headers: IncomingHttpHeaders, remoteAddress: string): void {
  const { host = '', origin } = headers;
  const isLocal =
    isLoopback(remoteAddress) &&
    // A name that leads to this machine may be an attacker's, whose page would then be of the same origin.
    LOOPBACK_HOST.test(host) &&
    (origin === undefined || LOOPBACK_HOST.test(origin.replace(/^https?:\/\//, ''))) &&
    !Object.keys(headers).some((name) => FORWARDING.test(name));
  // tooth: local-only
  if (!isLocal) {
    throw new PermissionDenied(
      'This works on the machine that Sluice runs on only, at http://127.0.0.1 or http://localhost.',
      'local_only',
    );
  }
}
