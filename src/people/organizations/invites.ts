/** Invites people to an organization by a link, which is mailed if there is a mail server. */
import { InvalidInput, PermissionDenied } from '../../platform/errors.ts';
import type { Caller, Organization, OrganizationRole } from '../../platform/http/access.ts';
import type { Mailer } from '../../platform/notify/mail.ts';
import type { Account } from '../accounts/accounts.store.ts';
import type { Invite } from './invites.store.ts';
import { LEVEL_OF } from './organization-body.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';

const SCOPE = 'OrganizationInvite';

export type InviteRequest = { email: string; firstName: string; message: string; role: OrganizationRole };
/** A new invite with its link, which cannot be read again later. */
export type IssuedInvite = Invite & { link: string };
type InviteContext = { caller: Caller; organization: Organization };

export type Invites = {
  /**
   * Invites all or none. Replaces earlier invites to the same addresses, if the caller may revoke them.
   * @throws PermissionDenied if the caller may not invite, may not give that level, or may not replace another user's invite
   * @throws InvalidInput for addresses of members, and for repeated addresses
   */
  invite(context: InviteContext, wanted: readonly InviteRequest[]): Promise<IssuedInvite[]>;
  /** Revokes an invite; for admins and its sender. @throws NotFound, PermissionDenied */
  revoke(context: InviteContext, id: string): Promise<void>;
};

export type InvitesOptions = {
  identity: IdentityStores;
  /** Base URL of the link. */
  publicUrl: string;
  /** Undefined if the server sends no mail, so links are passed on by other means. */
  mailer: Mailer | undefined;
};

export function createInvites({ identity, publicUrl, mailer }: InvitesOptions): Invites {
  const linkOf = (token: string) => `${publicUrl.replace(/\/$/, '')}/signup/${token}`;

  async function mail({ organization }: InviteContext, issued: readonly IssuedInvite[]): Promise<IssuedInvite[]> {
    if (!mailer) return [...issued];
    const problems = await Promise.all(
      issued.map((invite) => mailer.send([invite.email], inviteMail(invite, organization.name))),
    );
    const mailedInvites = issued.map((invite, index) => ({ ...invite, mailed: problems[index] === undefined }));
    await identity.invites.markMailed(mailedInvites.filter(({ mailed }) => mailed).map(({ id }) => id));
    return mailedInvites;
  }

  return {
    async invite(context, wanted) {
      const issued = await identity.inTransaction(async (stores) => {
        await ensureMayInvite(stores, context.organization, wanted);
        ensureDistinct(wanted);
        const created: IssuedInvite[] = [];
        for (const request of wanted) {
          const { invite, token } = await createInvite(stores, context, { ...request, isMailed: mailer !== undefined });
          created.push({ ...invite, link: linkOf(token) });
        }
        return created;
      });
      return mail(context, issued);
    },

    async revoke({ caller, organization }, id) {
      await identity.inTransaction(async ({ invites, auditLog }) => {
        const invite = await invites.delete(organization.id, id);
        ensureMayRevoke({ caller, organization }, invite, 'You can only take back your own invites.');
        const project = { id: null, organizationId: organization.id };
        const entry = { project, author: caller, scope: SCOPE, itemId: id, name: invite.email };
        await auditLog.record({ ...entry, activity: 'deleted' });
      });
    },
  };
}

function ensureDistinct(wanted: readonly InviteRequest[]): void {
  const emails = wanted.map(({ email }) => email.toLowerCase());
  const repeatedIndex = emails.findIndex((email, index) => emails.indexOf(email) < index);
  if (repeatedIndex !== -1) throw new InvalidInput('This address is invited twice.', `${repeatedIndex}__target_email`);
}

/** Checks the right to invite, and locks the organization, so concurrent invites to the same address replace each other in order. */
async function ensureMayInvite(
  { organizations }: BoundIdentityStores,
  { id, role }: Organization,
  wanted: readonly InviteRequest[],
): Promise<void> {
  const { membersCanInvite } = await organizations.lock(id);
  if (role === 'member' && !membersCanInvite) {
    throw new PermissionDenied('Only admins of this organization may invite others.');
  }
  // tooth: invite-level
  if (wanted.every((invite) => LEVEL_OF[invite.role] <= LEVEL_OF[role])) return;
  throw new PermissionDenied('You cannot invite to a higher permission level than your own.');
}

/** @throws PermissionDenied */
function ensureMayRevoke({ caller, organization }: InviteContext, invite: Invite, message: string): void {
  if (organization.role === 'member' && invite.createdBy !== caller.userId) throw new PermissionDenied(message);
}

/** Whether the inviter may see the link, which could be used to create the invited person's account in their place. */
function showsLink({ organization }: InviteContext, account: Account | undefined, isMailed: boolean): boolean {
  if (account && !account.isUnproven) return true;
  // tooth: invite-link
  return !isMailed && organization.role !== 'member';
}

async function createInvite(
  stores: BoundIdentityStores,
  context: InviteContext,
  { isMailed, ...wanted }: InviteRequest & { isMailed: boolean },
): Promise<{ invite: Invite; token: string }> {
  const { accounts, members, invites, auditLog } = stores;
  const { caller, organization } = context;
  const account = await accounts.findByEmail(wanted.email);
  const isReplaceable = account?.isUnproven && (await accounts.mayReplace(account.id, caller.userId));
  if (!isReplaceable && (await members.hasEmail(organization.id, wanted.email))) {
    throw new InvalidInput('A user with this email address already belongs to the organization.', 'target_email');
  }
  const previous = await invites.findByEmail(organization.id, wanted.email);
  // tooth: invite-take-back
  if (previous)
    ensureMayRevoke(context, previous, 'Somebody else has invited this address: only admins may replace that.');
  const linkShown = showsLink(context, account, isMailed);
  const created = await invites.create(organization.id, { ...wanted, linkShown, createdBy: caller.userId });
  const project = { id: null, organizationId: organization.id };
  const entry = { project, author: caller, scope: SCOPE, itemId: created.invite.id, name: wanted.email };
  await auditLog.record({ ...entry, activity: 'created' });
  return created;
}

function inviteMail(invite: IssuedInvite, organization: string) {
  const text = [
    invite.firstName === '' ? 'Hello,' : `Hello ${invite.firstName},`,
    '',
    `you are invited to the organization "${organization}" on Sluice. The link is good until ${invite.expiresAt.slice(0, 16).replace('T', ' ')} UTC:`,
    '',
    invite.link,
    '',
    ...(invite.message === '' ? [] : [invite.message, '']),
  ].join('\n');
  return { id: invite.id, subject: `Sluice: you are invited to ${organization}`, text };
}
