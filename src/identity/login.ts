/** Logging in with a password: the same answer in the same time, whether there is such an account or not. */
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidInput } from '../errors.ts';
import { isPassword } from '../secrets/passwords.ts';
import type { Account } from './accounts.store.ts';
import { recordOwn } from './own-activity.ts';
import { createRateLimit } from './rate-limits.ts';
import type { Cookies, Sessions } from './sessions.ts';
import type { IdentityStores } from './stores.ts';

/** After so many tries at once, one a minute: enough for fingers, not for lists of passwords. */
const TRIES_OF_ACCOUNT = { perSecond: 1 / 60, burstSeconds: 20 * 60 };
/** Many people may be behind one address. */
const TRIES_OF_ADDRESS = { perSecond: 1 / 10, burstSeconds: 500 };

export type Attempt = {
  email: string;
  password: string;
  /** Whence: tries are counted for it. */
  address: string;
  headers: IncomingHttpHeaders;
};

export type Login = {
  /**
   * @throws Throttled after too many tries of this account, or from this address
   * @throws InvalidInput when it is not the password of an account that may log in
   */
  logIn(attempt: Attempt): Promise<Cookies>;
  /**
   * Of somebody who is logged in: whether it is they who ask.
   * @throws Throttled after too many tries
   */
  isOwnPassword(account: Account, password: string): Promise<boolean>;
};

export function createLogin({ identity, sessions }: { identity: IdentityStores; sessions: Sessions }): Login {
  const ofAccount = createRateLimit<string>(TRIES_OF_ACCOUNT.perSecond, undefined, TRIES_OF_ACCOUNT.burstSeconds);
  const ofAddress = createRateLimit<string>(TRIES_OF_ADDRESS.perSecond, undefined, TRIES_OF_ADDRESS.burstSeconds);

  return {
    async logIn({ email, password, address, headers }) {
      ofAddress.charge(address, 1);
      ofAccount.charge(email.toLowerCase(), 1);
      const account = await identity.accounts.byEmail(email);
      const right = await isPassword(password, account?.passwordHash ?? null);
      if (!account?.isActive || !right) {
        throw new InvalidInput('Invalid email or password.', null, 'invalid_credentials');
      }
      return identity.inTransaction(async (stores) => {
        const author = { userId: account.id, keyId: null };
        await recordOwn(stores, author, { activity: 'logged_in', name: account.email });
        return sessions.begin(stores.sessions, account.id, headers);
      });
    },

    async isOwnPassword({ email, passwordHash }, password) {
      ofAccount.charge(email.toLowerCase(), 1);
      return isPassword(password, passwordHash);
    },
  };
}
