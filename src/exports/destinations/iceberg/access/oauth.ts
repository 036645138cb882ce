/** Access tokens of a catalog, which its authorization server gives for a client's id and secret (OAuth 2, client credentials). */
import type { Answer, Request } from '../../../../platform/net/post.ts';
import { networkFaultOf } from '../../network-faults.ts';
import { icebergFault } from '../faults.ts';

export type ClientAccess = {
  /** Address of the authorization server's token endpoint. */
  url: URL;
  /** `id:secret` */
  credential: string;
  scope: string | null;
};

type Send = (request: Pick<Request, 'url' | 'headers' | 'body'>) => Promise<Answer>;

/** Tokens are renewed so long before they expire. */
const EARLY_MS = 30_000;
/** For servers that do not say how long a token is valid. */
const USUAL_SECONDS = 3600;
const MAX_ANSWER_CHARACTERS = 1_000_000;

/** @param send without a token @returns the current token; `renews`: a new one */
export function tokenSource({ url, credential, scope }: ClientAccess, send: Send) {
  let current: { token: string; until: number } | undefined;
  return async (renews = false): Promise<string> => {
    if (current && !renews && current.until > Date.now()) return current.token;
    const [, id = '', secret = ''] = /^([^:]*):(.*)$/.exec(credential) ?? [];
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, ...(scope && { scope }) };
    const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    const { token, seconds } = tokenIn(await send({ url, headers, body }).catch(throwUnreachable));
    current = { token, until: Date.now() + seconds * 1000 - EARLY_MS };
    return token;
  };
}

function throwUnreachable(cause: unknown): never {
  const isRefused = networkFaultOf(cause) === 'host_not_allowed';
  throw icebergFault(isRefused ? 'token_server_not_allowed' : 'token_server_unreachable', { cause });
}

function tokenIn({ status, body }: Answer): { token: string; seconds: number } {
  if (status >= 500 || status === 408 || status === 429) throw icebergFault('token_server_unavailable');
  if (status === 400 || status === 401 || status === 403) throw icebergFault('credential_refused');
  const { access_token: token, expires_in: seconds } = parseJson(body);
  if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw icebergFault('token_server_invalid');
  return { token, seconds: typeof seconds === 'number' ? seconds : USUAL_SECONDS };
}

function parseJson(text: string): { access_token?: unknown; expires_in?: unknown } {
  if (text.length > MAX_ANSWER_CHARACTERS) return {};
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
