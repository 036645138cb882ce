/** Logging in with a password: the same answer in the same time, whether there is such an account or not. */
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidInput } from '../../platform/errors.ts';
import { isPassword } from '../../platform/secrets/passwords.ts';
import type { Account } from './accounts.store.ts';
import { recordOwn } from '../audit/own-audit-log.ts';
import type { TryLimit } from './login-tries.store.ts';
import { createRateLimit } from '../keys/rate-limits.ts';
import type { Client, Cookies, Sessions } from './sessions.ts';
import type { IdentityStores } from '../stores.ts';

/** Seconds. After 20 tries at once, one try a minute: enough for typing, not for lists of passwords. */
const TRIES_OF_ACCOUNT: TryLimit = { kind: 'account', cost: 60, burst: 20 * 60 };
/** Many people may be behind one address. */
const TRIES_OF_ADDRESS: TryLimit = { kind: 'address', cost: 10, burst: 500 };
/** Separate from the limit for passwords, so guessing passwords does not lock out someone at the machine. */
const TRIES_OF_LINKS: TryLimit = { kind: 'sign-in link', cost: 10, burst: 500 };

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
   * Logs in by a link that the operator's machine printed. Callers have checked that the request comes from that machine.
   * @throws Throttled after too many tries from this address
   * @throws InvalidInput when the link was used already, or has expired
   */
  logInByLink(token: string, client: Client): Promise<Cookies>;
  /**
   * Checks the password of a user who is logged in already.
   * @throws Throttled after too many tries
   */
  isOwnPassword(account: Account, password: string): Promise<boolean>;
};

/**
 * Counts a try in this process first, which costs nothing, and then for all processes.
 * @throws (the returned function) Throttled; Unavailable when they cannot be counted
 */
export function tryCounter({ loginTries }: IdentityStores, limit: TryLimit): (subject: string) => Promise<void> {
  const here = createRateLimit<string>(1 / limit.cost, undefined, limit.burst);
  return async (subject) => {
    here.charge(subject, 1);
    // tooth: login-tries-shared
    await loginTries.charge(limit, subject);
  };
}

export function createLogin({ identity, sessions }: { identity: IdentityStores; sessions: Sessions }): Login {
  const ofAccount = tryCounter(identity, TRIES_OF_ACCOUNT);
  const ofAddress = tryCounter(identity, TRIES_OF_ADDRESS);
  const ofLinks = tryCounter(identity, TRIES_OF_LINKS);

  return {
    async logIn({ email, password, address, headers }) {
      await ofAddress(address);
      await ofAccount(spellingOf(email));
      const account = await identity.accounts.byEmail(email);
      const right = await isPassword(password, account?.passwordHash ?? null);
      // tooth: login-active-only
      if (!account?.isActive || !right) {
        throw invalidCredentials();
      }
      return identity.inTransaction(async (stores) => {
        // The password may have been changed while it was compared: sessions that began with the former one have been ended.
        const present = await stores.accounts.lockByEmail(email);
        if (present?.passwordHash !== account.passwordHash) throw invalidCredentials();
        const author = { userId: account.id, keyId: null };
        await recordOwn(stores, author, { activity: 'logged_in', name: account.email });
        return sessions.begin(stores.sessions, account.id, { headers, address });
      });
    },

    async logInByLink(token, client) {
      // tooth: link-tries
      await ofLinks(client.address);
      return identity.inTransaction(async (stores) => {
        const userId = await stores.links.take('sign-in', token);
        if (userId === undefined) {
          const detail = 'This link was used already, or has expired: `sluice login` prints another.';
          throw new InvalidInput(detail, 'token', 'invalid_token');
        }
        const { email } = await stores.accounts.get(userId);
        const changes = [
          { type: 'User', action: 'created', field: 'method', before: null, after: 'sign-in link' } as const,
        ];
        await recordOwn(stores, { userId, keyId: null }, { activity: 'logged_in', name: email, changes });
        return sessions.begin(stores.sessions, userId, client);
      });
    },

    async isOwnPassword({ email, passwordHash }, password) {
      await ofAccount(spellingOf(email));
      return isPassword(password, passwordHash);
    },
  };
}

/**
 * Gives one result for all spellings that a database may treat as the same address, however it folds letters; a few addresses that it
 * keeps apart share their tries.
 */
export function spellingOf(email: string): string {
  return email.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function invalidCredentials(): InvalidInput {
  return new InvalidInput('Invalid email or password.', null, 'invalid_credentials');
}
