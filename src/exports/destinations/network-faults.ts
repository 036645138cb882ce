/** Faults of connections to a server that failed or broke. */
import { HOST_REFUSED, HostRefused } from '../../platform/net/host-rules.ts';
import { isTlsRefusal, TLS_REFUSED } from '../../platform/net/tls-errors.ts';
import type { KnownFault } from './faults.ts';

/** Field names and sentences of a destination. */
type NetworkWording = {
  /** The field that names the host. */
  hostField: string;
  /** The field that permits an untrusted certificate. */
  trustField?: string;
  unreachable: string;
  untrusted?: string;
};

export function networkFaults({ hostField, trustField, unreachable, untrusted = TLS_REFUSED }: NetworkWording) {
  const refusalFault = (sentence: string, ...rawCodes: string[]) => {
    const field = trustField !== undefined && { field: trustField };
    return { owner: 'destination', ...field, sentence, rawCodes } as const satisfies KnownFault;
  };
  // The server may be down, or the host or port may be wrong.
  const unreachableFault = (sentence: string, ...rawCodes: string[]) => {
    const known = { owner: 'destination', field: hostField, sentence: `${unreachable} ${sentence}`, rawCodes } as const;
    return known satisfies KnownFault;
  };
  return {
    host_not_allowed: { owner: 'you', field: hostField, sentence: HOST_REFUSED, rawCodes: [new HostRefused().code] },
    certificate_expired: refusalFault(
      `${untrusted} It has expired, or is not valid yet.`,
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
    ),
    certificate_wrong_host: refusalFault(
      `${untrusted} It is of another host.`,
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'HOSTNAME_MISMATCH',
    ),
    certificate_untrusted: refusalFault(untrusted),
    tls_failed: {
      owner: 'you',
      field: hostField,
      sentence: `${unreachable} Something answers there, without TLS or with another version of it.`,
      rawCodes: ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
    },
    host_not_found: {
      owner: 'you',
      field: hostField,
      sentence: `${unreachable} No name server knows its host.`,
      rawCodes: ['ENOTFOUND'],
    },
    name_server_unavailable: {
      owner: 'sluice',
      sentence: `${unreachable} No name server answers the worker.`,
      rawCodes: ['EAI_AGAIN'],
    },
    connection_refused: unreachableFault('Nothing listens there, or a firewall refuses the worker.', 'ECONNREFUSED'),
    network_unreachable: unreachableFault('The worker knows no way to its network.', 'EHOSTUNREACH', 'ENETUNREACH'),
    connection_timed_out: unreachableFault(
      'It did not answer in time.',
      'ETIMEDOUT',
      'TimeoutError',
      'AbortError',
      'ABORT_ERR',
    ),
    connection_lost: {
      owner: 'destination',
      sentence: `${unreachable} The connection broke.`,
      rawCodes: ['ECONNRESET', 'EPIPE', 'ECONNABORTED'],
    },
    unreachable: { owner: 'destination', sentence: unreachable },
  } as const satisfies Record<string, KnownFault>;
}

export type NetworkFaultCode = keyof ReturnType<typeof networkFaults>;

const CODES = new Map(
  Object.entries(networkFaults({ hostField: '', unreachable: '' })).flatMap(([code, known]) =>
    'rawCodes' in known ? known.rawCodes.map((rawCode) => [rawCode, code as NetworkFaultCode] as const) : [],
  ),
);

/** The code of an error that did not come from the server. */
export function networkFaultOf(error: unknown): NetworkFaultCode {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const known = CODES.get(typeof code === 'string' ? code : String(name));
  return known ?? (isTlsRefusal(error) ? 'certificate_untrusted' : 'unreachable');
}

/** Codes of connections that were not made. */
const NOT_CONNECTED = new Set([
  new HostRefused().code,
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Whether no connection was made, so that the request had no effect. @param code of the system's error */
export const isNotConnected = (code: string): boolean => NOT_CONNECTED.has(code);
