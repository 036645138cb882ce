/** Resets a forgotten password by a link that is mailed to the account's address. */
import { randomUUID } from 'node:crypto';
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import type { Letter, Mailer } from '../../platform/notify/mail.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import { ensureHardToGuess, hashPassword } from '../../platform/secrets/passwords.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { recordOwnChange } from '../audit/own-audit-log.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';
import type { Account } from './accounts.store.ts';
import { LINK_MINUTES } from './links.store.ts';
import { createTryCounter, normalizeEmail } from './login.ts';
import type { TryLimit } from './login-tries.store.ts';

/** Allows three mails at once, then one every twenty minutes, because the mails may be unwanted. */
const REQUESTS_OF_ACCOUNT: TryLimit = { kind: 'reset of account', cost: 1_200, burst: 3_600 };
/** Higher limits, because many people may share one address. */
const REQUESTS_OF_ADDRESS: TryLimit = { kind: 'reset from address', cost: 60, burst: 1_200 };
/** Maximum number of answered requests whose mail is not sent yet; mails are sent one after another. */
const MAX_WAITING = 20;

export type ResetOptions = {
  identity: IdentityStores;
  /** Base URL of the link. */
  publicUrl: string;
  /** Undefined if the server sends no mail. */
  mailer: Mailer | undefined;
  log?: Logger | undefined;
};

export type Resets = {
  /** Whether the server can send mail. */
  isAvailable: boolean;
  /**
   * Mails a link if the account exists. The account is looked up after the answer, so callers cannot find out whether it exists.
   * @throws InvalidInput if the server sends no mail
   * @throws Throttled after too many requests for this account, or from this address
   */
  request(wanted: { email: string; address: string }): Promise<void>;
  /** @throws NotFound when the link was used already, or has expired */
  find(token: string): Promise<Account>;
  /** Uses the link up, and ends all sessions of the user. @throws NotFound, and InvalidInput for a password that is easily guessed */
  complete(token: string, password: string): Promise<Account>;
  /** Resolves when the mail in progress has been sent; waiting ones are dropped. */
  close(): Promise<void>;
};

export function createResets({ identity, publicUrl, mailer, log }: ResetOptions): Resets {
  const countForAccount = createTryCounter(identity, REQUESTS_OF_ACCOUNT);
  const countForAddress = createTryCounter(identity, REQUESTS_OF_ADDRESS);
  let waitingCount = 0;
  let isClosed = false;
  let lastMail: Promise<void> = Promise.resolve();

  async function mailLink({ send }: Mailer, email: string): Promise<void> {
    const account = await identity.accounts.findByEmail(email);
    if (!account?.isActive) return;
    const token = await identity.inTransaction(({ links }) => links.create('reset', account.id));
    // Sent to the account's own address, because the typed one may differ although the database considers both equal.
    const problem = await send([account.email], resetMail(`${publicUrl.replace(/\/$/, '')}/reset/${token}`));
    if (problem !== undefined) log?.warn({ problem }, 'the link for a new password was not mailed');
  }

  async function find(token: string): Promise<Account> {
    const userId = await identity.links.find('reset', token);
    if (userId === undefined) throw unknownLinkError();
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
      await countForAddress(address);
      // tooth: reset-tries-of-account
      await countForAccount(normalizeEmail(email));
      // Not refused with an error, because mails to existing accounts take longer, so errors would reveal that accounts exist.
      if (waitingCount >= MAX_WAITING) {
        log?.warn('too many links wait to be mailed: one was dropped');
        return;
      }
      waitingCount += 1;
      lastMail = lastMail
        .then(() => (isClosed ? undefined : mailLink(mailer, email)))
        .catch((error: unknown) =>
          log?.warn({ error: describeError(error) }, 'a link for a new password could not be created'),
        )
        .finally(() => (waitingCount -= 1));
    },

    find,

    async complete(token, password) {
      const { email, firstName, lastName } = await find(token);
      await ensureHardToGuess(password, 'password', [email, firstName, lastName]);
      const passwordHash = await hashPassword(password);
      return identity.inTransaction((stores) => setNewPassword(stores, token, passwordHash));
    },

    async close() {
      isClosed = true;
      await lastMail;
    },
  };
}

async function setNewPassword(stores: BoundIdentityStores, token: string, passwordHash: string): Promise<Account> {
  const userId = await stores.links.take('reset', token);
  if (userId === undefined) throw unknownLinkError();
  const account = await stores.accounts.get(userId);
  await stores.accounts.setPassword(userId, passwordHash);
  // Deletes the keys of an account that perhaps another person created, so that person keeps no access.
  // tooth: reset-ends-keys
  if (account.isUnproven) await stores.keys.deleteAll({ userId });
  await stores.accounts.markProven(userId, { isEmailVerified: true });
  // tooth: reset-ends-sessions
  await stores.sessions.endOthers(userId, null);
  const changes = [{ type: 'User', action: 'changed', field: 'password', before: null, after: null } as const];
  await recordOwnChange(stores, { userId, keyId: null }, { activity: 'updated', name: account.email, changes });
  return account;
}

function unknownLinkError(): NotFound {
  return new NotFound('This link does not exist, or it was used already or has expired: ask for a new one.');
}

function resetMail(link: string): Letter {
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
