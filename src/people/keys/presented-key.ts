/** Finds the key of a request, in this order: in the `Authorization` header, the body, the query. */
import { NotAuthenticated } from '../../platform/errors.ts';
import { KEY_IN_BODY, type Credentials } from '../../platform/http/access.ts';

export type PresentedKey = {
  key: string;
  /** Where in the request the key was found, for error messages. */
  source: 'Authorization header' | 'body' | 'query string';
};

const KEY_ALONE = /^ph[xs]_\S+$/;
const BEARER = /^Bearer +(\S.*)$/i;

/** @throws NotAuthenticated for several headers, whose keys may be of different users, and for a key without `Bearer` */
export async function findPresentedKey(request: Credentials): Promise<PresentedKey | undefined> {
  const [header, second] = request.headersDistinct.authorization ?? [];
  if (second !== undefined) throw new NotAuthenticated('Give one header `Authorization: Bearer <key>`.');
  if (KEY_ALONE.test(header ?? '')) throw new NotAuthenticated('Give the key as "Authorization: Bearer <key>".');
  const headerKey = BEARER.exec(header ?? '')?.[1]?.trimEnd();
  if (headerKey !== undefined) return { key: headerKey, source: 'Authorization header' };
  const bodyKey = await keyInBody(request);
  if (bodyKey !== undefined) return { key: bodyKey, source: 'body' };
  const queryKey = new URLSearchParams(request.url?.split('?', 2)[1]).get(KEY_IN_BODY);
  return queryKey ? { key: queryKey, source: 'query string' } : undefined;
}

/** Ignores a malformed body, which is reported after authentication. */
async function keyInBody(request: Credentials): Promise<string | undefined> {
  const body = await request.body?.().catch(() => undefined);
  const key = (body as Record<string, unknown> | null | undefined)?.[KEY_IN_BODY];
  return typeof key === 'string' && key !== '' ? key : undefined;
}

/** Error for an invalid key. */
export function invalidKey({ key, source }: PresentedKey): NotAuthenticated {
  const kind = key.startsWith('phs_') ? 'Project secret' : 'Personal';
  return new NotAuthenticated(`${kind} API key found in request ${source} is invalid.`, 'authentication_failed');
}
