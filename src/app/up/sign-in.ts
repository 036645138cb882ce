/** Creates sign-in links, which work once, within ten minutes, in a browser on this machine. */
import { createSignInToken } from '../../people/accounts/operator.ts';
import { identityStores } from '../../people/stores.ts';
import { createKnex } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';

/** @param apiUrl where the API is reached. On other than loopback addresses it takes no such link. */
export function takesSignInLinks(apiUrl: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(apiUrl).hostname);
}

/**
 * Puts the token into the fragment, which browsers send to no server, so it appears in no log.
 * @returns null when there is no such user, or they may not log in, or the API takes no link
 */
export async function signInUrl(at: { databaseUrl: string; apiUrl: string; email: string }): Promise<string | null> {
  if (!takesSignInLinks(at.apiUrl)) return null;
  const db = createKnex({ url: at.databaseUrl, ...POOLS.users });
  try {
    const token = await createSignInToken(identityStores(db), at.email);
    return token === undefined ? null : `${at.apiUrl}/#sign-in=${token}`;
  } finally {
    await db.destroy();
  }
}
