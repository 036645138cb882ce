/** Logs users in with a password. Answers and their timing do not reveal whether an account exists. */
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidInput } from '../../platform/errors.ts';
import { isPassword } from '../../platform/secrets/passwords.ts';
import type { Account } from './accounts.store.ts';
import { recordOwnChange } from '../audit/own-audit-log.ts';
import type { TryLimit } from './login-tries.store.ts';
import { createRateLimit } from '../keys/rate-limits.ts';
import type { Client, Cookies, Sessions } from './sessions.ts';
import type { IdentityStores } from '../stores.ts';

/** Seconds. After 20 tries at once, one try a minute: enough for typing, not for lists of passwords. */
const ACCOUNT_LIMIT: TryLimit = { kind: 'account', cost: 60, burst: 20 * 60 };
/** Higher limits, because many people may share one address. */
const ADDRESS_LIMIT: TryLimit = { kind: 'address', cost: 10, burst: 500 };
/** Separate from the limit for passwords, so guessing passwords does not lock out someone at the machine. */
const LINK_LIMIT: TryLimit = { kind: 'sign-in link', cost: 10, burst: 500 };

export type Attempt = {
  email: string;
  password: string;
  /** Address of the client, for which tries are counted, too. */
  address: string;
  headers: IncomingHttpHeaders;
};

export type Login = {
  /**
   * @throws Throttled after too many tries to log in to this account, or from this address
   * @throws InvalidInput unless the account is active and the password is correct
   */
  logIn(attempt: Attempt): Promise<Cookies>;
  /**
   * Logs in by a link that was printed on the server's machine. Callers check that the request comes from that machine.
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
 * Returns a function that counts a try in this process, which is cheap, and then across all processes. The function throws Throttled after
 * too many tries, and Unavailable if they cannot be counted.
 */
export function createTryCounter({ loginTries }: IdentityStores, limit: TryLimit): (subject: string) => Promise<void> {
  const localLimit = createRateLimit<string>(1 / limit.cost, undefined, limit.burst);
  return async (subject) => {
    localLimit.charge(subject, 1);
    // tooth: login-tries-shared
    await loginTries.charge(limit, subject);
  };
}

export function createLogin({ identity, sessions }: { identity: IdentityStores; sessions: Sessions }): Login {
  const countForAccount = createTryCounter(identity, ACCOUNT_LIMIT);
  const countForAddress = createTryCounter(identity, ADDRESS_LIMIT);
  const countForLinks = createTryCounter(identity, LINK_LIMIT);

  return {
    async logIn({ email, password, address, headers }) {
      await countForAddress(address);
      await countForAccount(normalizeEmail(email));
      const account = await identity.accounts.findByEmail(email);
      const isCorrect = await isPassword(password, account?.passwordHash ?? null);
      // tooth: login-active-only
      if (!account?.isActive || !isCorrect) {
        throw invalidCredentials();
      }
      return identity.inTransaction(async (stores) => {
        // If the password changed during the comparison, the old password's sessions have ended, and it must not begin another.
        const lockedAccount = await stores.accounts.lockByEmail(email);
        if (lockedAccount?.passwordHash !== account.passwordHash) throw invalidCredentials();
        const author = { userId: account.id, keyId: null };
        await recordOwnChange(stores, author, { activity: 'logged_in', name: account.email });
        return sessions.begin(stores.sessions, account.id, { headers, address });
      });
    },

    async logInByLink(token, client) {
      // tooth: link-tries
      await countForLinks(client.address);
      return identity.inTransaction(async (stores) => {
        const userId = await stores.links.take('sign-in', token);
        if (userId === undefined) {
          const detail = 'This link has already been used or has expired. Run `sluice login` for a new one.';
          throw new InvalidInput(detail, 'token', 'invalid_token');
        }
        const { email } = await stores.accounts.get(userId);
        const changes = [
          { type: 'User', action: 'created', field: 'method', before: null, after: 'sign-in link' } as const,
        ];
        await recordOwnChange(stores, { userId, keyId: null }, { activity: 'logged_in', name: email, changes });
        return sessions.begin(stores.sessions, userId, client);
      });
    },

    async isOwnPassword({ email, passwordHash }, password) {
      await countForAccount(normalizeEmail(email));
      return isPassword(password, passwordHash);
    },
  };
}

/**
 * Normalizes an address so that all spellings that a database may consider equal count against one limit. A few addresses that
 * differ count together, too.
 */
export function normalizeEmail(email: string): string {
  return email.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function invalidCredentials(): InvalidInput {
  return new InvalidInput('Invalid email or password.', null, 'invalid_credentials');
}
