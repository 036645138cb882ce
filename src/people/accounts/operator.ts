/** Actions of an operator on the server's machine: creating the first users, and resetting passwords. */
import { CommandFailed } from '../../platform/errors.ts';
import type { OrganizationRole } from '../../platform/http/access.ts';
import { hashPassword } from '../../platform/secrets/passwords.ts';
import type { Account } from './accounts.store.ts';
import { recordOwnChange } from '../audit/own-audit-log.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';

export type AddedUser = { email: string; organization: string; role?: OrganizationRole | undefined; password: string };

/** Author of an operator's changes: anybody who can use the database. */
const OPERATOR = { userId: null, keyId: null };

/**
 * @param added `organization`: an organization's id or name; an unknown name creates an organization. `role`: by default owner of a new
 * organization, member of an existing one
 * @throws CommandFailed when there is such a user already, or several organizations have the name
 */
export async function addUser(
  identity: IdentityStores,
  { email, organization, role: wanted, password }: AddedUser,
): Promise<{ user: Account; organizationId: string; isNew: boolean; role: OrganizationRole }> {
  if (await identity.accounts.findByEmail(email)) throw new CommandFailed(`There is already a user ${email}.`);
  const passwordHash = await hashPassword(password);
  return identity.inTransaction(async (stores) => {
    const { id: organizationId, isNew } = await findOrCreateOrganization(stores, organization);
    const role = wanted ?? (isNew ? 'owner' : 'member');
    const user = await stores.accounts.create({ email, passwordHash });
    await stores.members.add(organizationId, user.id, role);
    await stores.accounts.change(user.id, { currentProjectId: await stores.projects.findFirst(organizationId) });
    const { id } = await stores.members.get(organizationId, user.uuid);
    await stores.auditLog.record({
      project: { id: null, organizationId },
      author: OPERATOR,
      scope: 'OrganizationMembership',
      itemId: id,
      activity: 'created',
      name: email,
    });
    return { user, organizationId, isNew, role };
  });
}

/** Sets a new password and ends the user's sessions. @throws CommandFailed when there is no such user */
export async function resetPassword(identity: IdentityStores, email: string, password: string): Promise<Account> {
  const user = await identity.accounts.findByEmail(email);
  if (!user) throw new CommandFailed(`There is no user ${email}.`);
  const passwordHash = await hashPassword(password);
  await identity.inTransaction(async (stores) => {
    await stores.accounts.setPassword(user.id, passwordHash);
    // The operator is responsible for who gets the password.
    await stores.accounts.markProven(user.id, { isEmailVerified: false });
    await stores.sessions.endOthers(user.id, null);
    const changes = [{ type: 'User', action: 'changed', field: 'password', before: null, after: null } as const];
    const entry = { activity: 'updated', name: user.email, changes, author: OPERATOR } as const;
    await recordOwnChange(stores, { userId: user.id, keyId: null }, entry);
  });
  return user;
}

/** @returns the token of a link that logs the user in, once; undefined when there is no such user, or they may not log in */
export async function createSignInToken(identity: IdentityStores, email: string): Promise<string | undefined> {
  const user = await identity.accounts.findByEmail(email);
  return user?.isActive ? identity.inTransaction(({ links }) => links.create('sign-in', user.id)) : undefined;
}

async function findOrCreateOrganization({ organizations }: BoundIdentityStores, query: string) {
  const [match, secondMatch] = await organizations.findByIdOrName(query);
  if (secondMatch) throw new CommandFailed(`Several organizations are called ${query}: give the id of one.`);
  return { id: (match ?? (await organizations.create(query))).id, isNew: !match };
}
