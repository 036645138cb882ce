/** Joins an organization by the link of an invite, with an existing account or a new one. */
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/access.ts';
import { ensureHardToGuess, hashPassword } from '../../platform/secrets/passwords.ts';
import type { Account } from './accounts.store.ts';
import type { Invite } from '../organizations/invites.store.ts';
import type { Client, Cookies, Sessions } from './sessions.ts';
import { recordOwnChange } from '../audit/own-audit-log.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';

export type NewPerson = {
  firstName: string | undefined;
  lastName: string;
  password: string | undefined;
  roleAtOrganization: string;
};

/** The new member's account, and cookies that log in a newly created one. */
export type JoinResult = { account: Account; cookies: Cookies };

/** @throws NotFound if the invite does not exist, or is used up or expired */
export async function findInvite({ invites }: BoundIdentityStores, token: string): Promise<Invite> {
  const invite = await invites.find(token);
  if (!invite) throw unknownInviteError();
  return invite;
}

/** @returns the account with which the invite must be accepted; undefined if accepting creates a new one */
export async function findAccountFor(identity: BoundIdentityStores, invite: Invite): Promise<Account | undefined> {
  const existing = await identity.accounts.findByEmail(invite.email);
  return existing && (await isReplacedByInvite(identity, existing, invite)) ? undefined : existing;
}

/**
 * Accepts an invite, which uses it up.
 * @throws NotFound if the invite does not exist, or is used up or expired
 * @throws InvalidInput if it is for another account, or fields of a new account are missing
 */
export async function join(
  { identity, sessions }: { identity: IdentityStores; sessions: Sessions },
  { token, client, person }: { token: string; client: Client; person: NewPerson },
): Promise<JoinResult> {
  const invite = await findInvite(identity, token);
  const { email, linkShown } = invite;
  const caller = await sessions.callerOf({ headers: client.headers, method: 'POST' });
  const existing = await identity.accounts.findByEmail(email);
  if (caller || (existing && !(await isReplacedByInvite(identity, existing, invite)))) {
    const account = ensureSameAccount(existing, caller);
    await identity.inTransaction(async (stores) => {
      await joinOrganization(stores, token, account);
      if (!linkShown) await stores.accounts.markProven(account.id, { isEmailVerified: true });
    });
    return { account, cookies: [] };
  }
  const newcomer = {
    email,
    ...(await newAccountOf(email, person)),
    isEmailVerified: !linkShown,
    isUnproven: linkShown,
  };
  return identity.inTransaction(async (stores) => {
    await retireReplaced(stores, invite);
    const account = await stores.accounts.create(newcomer);
    await joinOrganization(stores, token, account);
    return { account, cookies: await sessions.begin(stores.sessions, account.id, client) };
  });
}

/**
 * Whether accepting the invite replaces the account. Requires an account that perhaps does not belong to the owner of the address, and
 * either a mailed link, or a sender who could remove the account from all its organizations.
 */
async function isReplacedByInvite(
  { accounts }: BoundIdentityStores,
  existing: Account,
  invite: Invite,
): Promise<boolean> {
  // tooth: invite-replaces
  return existing.isUnproven && (!invite.linkShown || (await accounts.mayReplace(existing.id, invite.createdBy)));
}

/** Retires the account with the invite's address; the new account takes over nothing from it. @throws InvalidInput */
async function retireReplaced(stores: BoundIdentityStores, invite: Invite): Promise<void> {
  const existing = await stores.accounts.lockByEmail(invite.email);
  if (!existing) return;
  if (!(await isReplacedByInvite(stores, existing, invite))) ensureSameAccount(existing, undefined);
  const author = { userId: invite.createdBy, keyId: null };
  await recordOwnChange(
    stores,
    { userId: existing.id, keyId: null },
    { activity: 'deleted', name: existing.email, author },
  );
  await stores.accounts.retire(existing.id);
}

/** The link alone does not prove whose account it is. @throws InvalidInput */
function ensureSameAccount(existing: Account | undefined, caller: Caller | undefined): Account {
  if (existing && existing.id === caller?.userId) return existing;
  throw caller
    ? new InvalidInput('This invite is intended for another email address.', null, 'invalid_recipient')
    : new InvalidInput('There is an account with this email address: log in first.', null, 'account_exists');
}

async function newAccountOf(email: string, { firstName, lastName, password, roleAtOrganization }: NewPerson) {
  if (firstName === undefined) throw new InvalidInput('This field is required.', 'first_name', 'required');
  if (password === undefined) throw new InvalidInput('This field is required.', 'password', 'required');
  await ensureHardToGuess(password, 'password', [email, firstName, lastName]);
  return { firstName, lastName, roleAtOrganization, passwordHash: await hashPassword(password) };
}

async function joinOrganization(stores: BoundIdentityStores, token: string, account: Account): Promise<void> {
  const { invites, members, accounts, projects, auditLog } = stores;
  const invite = await invites.take(token);
  if (!invite) throw unknownInviteError();
  const { organizationId, role } = invite;
  const joined = await members.add(organizationId, account.id, role);
  if (!joined) return;
  if (account.currentProjectId === null) {
    await accounts.change(account.id, { currentProjectId: await projects.findFirst(organizationId) });
  }
  const { id, user } = await members.get(organizationId, account.uuid);
  const project = { id: null, organizationId };
  const entry = { project, author: { userId: user.id, keyId: null }, scope: 'OrganizationMembership', itemId: id };
  await auditLog.record({ ...entry, activity: 'created', name: user.email });
}

function unknownInviteError(): NotFound {
  return new NotFound('This invite does not exist, or it has been used or has expired: ask for a new one.');
}
