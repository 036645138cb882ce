/** Resets a forgotten password by a link that is mailed to the account's address. */
import { randomUUID } from 'node:crypto';
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import type { Letter, Mailer } from '../../platform/notify/mail.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import { ensureHardToGuess, hashPassword } from '../../platform/secrets/passwords.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { recordOwn } from '../audit/own-audit-log.ts';
import type { IdentityBound, IdentityStores } from '../stores.ts';
import type { Account } from './accounts.store.ts';
import { LINK_MINUTES } from './links.store.ts';
import { tryCounter, spellingOf } from './login.ts';
import type { TryLimit } from './login-tries.store.ts';

/** Seconds: three letters at once, then one in twenty minutes, because the letters may be unwanted. */
const REQUESTS_OF_ACCOUNT: TryLimit = { kind: 'reset of account', cost: 1_200, burst: 3_600 };
/** Many people may be behind one address. */
const REQUESTS_OF_ADDRESS: TryLimit = { kind: 'reset from address', cost: 60, burst: 1_200 };
/** Requests that were answered but whose letters are not sent yet; letters are sent one after another. */
const MAX_WAITING = 20;

export type ResetOptions = {
  identity: IdentityStores;
  /** Base URL of the link. */
  publicUrl: string;
  /** undefined: the server sends no mail. */
  mailer: Mailer | undefined;
  log?: Logger | undefined;
};

export type Resets = {
  /** Whether the server can send mail. */
  isAvailable: boolean;
  /**
   * Mails a link, if there is such an account. Callers do not learn whether: the account is looked up after they were answered.
   * @throws InvalidInput where there is no mail
   * @throws Throttled after too many requests for this account, or from this address
   */
  request(wanted: { email: string; address: string }): Promise<void>;
  /** @throws NotFound when the link was used already, or has expired */
  find(token: string): Promise<Account>;
  /** Uses the link up, and ends all sessions of the user. @throws NotFound, and InvalidInput for a password that is easily guessed */
  complete(token: string, password: string): Promise<Account>;
  /** Resolves when the letter is sent that is under way; others are not sent any more. */
  close(): Promise<void>;
};

export function createResets({ identity, publicUrl, mailer, log }: ResetOptions): Resets {
  const ofAccount = tryCounter(identity, REQUESTS_OF_ACCOUNT);
  const ofAddress = tryCounter(identity, REQUESTS_OF_ADDRESS);
  let waiting = 0;
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();

  async function mailLink({ send }: Mailer, email: string): Promise<void> {
    const account = await identity.accounts.byEmail(email);
    if (!account?.isActive) return;
    const token = await identity.inTransaction(({ links }) => links.create('reset', account.id));
    // Sent to the account's own address: the typed one may differ, although the database treats both as the same.
    const problem = await send([account.email], letterOf(`${publicUrl.replace(/\/$/, '')}/reset/${token}`));
    if (problem !== undefined) log?.warn({ problem }, 'the link for a new password was not mailed');
  }

  async function find(token: string): Promise<Account> {
    const userId = await identity.links.find('reset', token);
    if (userId === undefined) throw unknownLink();
    return identity.accounts.get(userId);
  }

  return {
    isAvailable: mailer !== undefined,

    async request({ email, address }) {
      if (!mailer) {
        throw new InvalidInput(
          'Passwords cannot be reset by mail, because this installation sends none. Ask its operator, who gives a new ' +
            'one with `sluice users password`.',
          null,
          'email_not_available',
        );
      }
      // tooth: reset-tries
      await ofAddress(address);
      // tooth: reset-tries-of-account
      await ofAccount(spellingOf(email));
      // Letters to accounts take longer than looking for one in vain: a refusal would tell the two apart.
      if (waiting >= MAX_WAITING) {
        log?.warn('too many links wait to be mailed: one is left out');
        return;
      }
      waiting += 1;
      last = last
        .then(() => (isClosed ? undefined : mailLink(mailer, email)))
        .catch((error: unknown) => log?.warn({ error: describeError(error) }, 'a link for a new password was not made'))
        .finally(() => (waiting -= 1));
    },

    find,

    async complete(token, password) {
      const { email, firstName, lastName } = await find(token);
      await ensureHardToGuess(password, 'password', [email, firstName, lastName]);
      const passwordHash = await hashPassword(password);
      return identity.inTransaction((stores) => reset(stores, token, passwordHash));
    },

    async close() {
      isClosed = true;
      await last;
    },
  };
}

async function reset(stores: IdentityBound, token: string, passwordHash: string): Promise<Account> {
  const userId = await stores.links.take('reset', token);
  if (userId === undefined) throw unknownLink();
  const account = await stores.accounts.get(userId);
  await stores.accounts.setPassword(userId, passwordHash);
  // Perhaps made by another person than the owner of the address, who keeps no way in.
  // tooth: reset-ends-keys
  if (account.isUnproven) await stores.keys.deleteAll({ userId });
  await stores.accounts.prove(userId, { isEmailVerified: true });
  // tooth: reset-ends-sessions
  await stores.sessions.endOthers(userId, null);
  const changes = [{ type: 'User', action: 'changed', field: 'password', before: null, after: null } as const];
  await recordOwn(stores, { userId, keyId: null }, { activity: 'updated', name: account.email, changes });
  return account;
}

function unknownLink(): NotFound {
  return new NotFound('This link does not exist, or it was used already or has expired: ask for a new one.');
}

function letterOf(link: string): Letter {
  const text = [
    'Hello,',
    '',
    `somebody asked for a new password for your account on Sluice. This link sets one, once, within ${LINK_MINUTES.reset} minutes, and`,
    'ends all sessions:',
    '',
    link,
    '',
    'If that was not you, do nothing: your password stays.',
    '',
  ].join('\n');
  return { id: randomUUID(), subject: 'Sluice: a new password', text };
}
