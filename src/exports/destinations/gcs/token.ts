/** Access tokens of a service account. */
import type { Answer, Request } from '../../../platform/net/post.ts';
import { networkFaultOf } from '../network-faults.ts';
import { gcsFault } from './faults.ts';
import { signAssertion, type ServiceAccount } from './service-account.ts';

type Send = (request: Pick<Request, 'url' | 'headers' | 'body'>) => Promise<Answer>;

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Time before its expiry at which a token is renewed. */
const RENEW_BEFORE_MS = 60_000;
/** Least time for which a token is used, whatever expiry its server states: if it expires earlier, the store refuses it, and it is renewed. */
const MIN_USE_MS = 30_000;

/** @returns a function that returns the current token, or a new one if `isRefused`: the store has refused the current one */
export function tokenSource(account: ServiceAccount, send: Send) {
  let current: { token: string; until: number } | undefined;
  let pending: Promise<string> | undefined;

  async function fetchToken(): Promise<string> {
    const assertion = await signAssertion(account, Math.floor(Date.now() / 1000));
    const answer = await send({
      url: new URL(account.tokenUri),
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
    }).catch(throwUnreachable);
    const { token, seconds } = tokenIn(answer);
    current = { token, until: Date.now() + Math.max(MIN_USE_MS, seconds * 1000 - RENEW_BEFORE_MS) };
    return token;
  }

  return async (isRefused = false): Promise<string> => {
    if (current && !isRefused && current.until > Date.now()) return current.token;
    // Requests that are sent at once share a token.
    pending ??= fetchToken().finally(() => (pending = undefined));
    return pending;
  };
}

function throwUnreachable(cause: unknown): never {
  const isForbidden = networkFaultOf(cause) === 'host_not_allowed';
  throw gcsFault(isForbidden ? 'token_server_not_allowed' : 'token_server_unreachable', { cause });
}

function tokenIn({ status, body }: Answer): { token: string; seconds: number } {
  if (status >= 500 || status === 408 || status === 429) throw gcsFault('token_server_unavailable');
  if (status === 400 || status === 401 || status === 403) throw gcsFault('key_refused');
  const { access_token: token, expires_in: seconds } = parseJson(body);
  if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw gcsFault('token_server_invalid');
  return { token, seconds: typeof seconds === 'number' ? seconds : 0 };
}

function parseJson(text: string): { access_token?: unknown; expires_in?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
