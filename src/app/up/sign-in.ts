/** Creates sign-in links, which work once, within ten minutes, in a browser on this machine. */
import { createSignInToken } from '../../people/accounts/operator.ts';
import { identityStores } from '../../people/stores.ts';
import { createKnex } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';

/** Whether the API accepts sign-in links, which it does only on loopback addresses. */
export function acceptsSignInLinks(apiUrl: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(apiUrl).hostname);
}

/**
 * Creates a link with the token in its fragment, which browsers never send, so it appears in no log.
 * @returns null if the user does not exist or may not log in, or the API accepts no links
 */
export async function createSignInUrl(target: {
  databaseUrl: string;
  apiUrl: string;
  email: string;
}): Promise<string | null> {
  if (!acceptsSignInLinks(target.apiUrl)) return null;
  const db = createKnex({ url: target.databaseUrl, ...POOLS.users });
  try {
    const token = await createSignInToken(identityStores(db), target.email);
    return token === undefined ? null : `${target.apiUrl}/#sign-in=${token}`;
  } finally {
    await db.destroy();
  }
}
