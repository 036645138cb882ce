/**
 * Whether strangers see a dashboard or an insight, by which link, and with which passwords.
 *
 * An object gets its token when its sharing is first read. The token stays until it is refreshed (the previous one then works for five more
 * minutes) or sharing is disabled (which revokes all its tokens for good; the answer has a new one). An expired token works again once
 * a later expiry is set.
 */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { randomBytes } from 'node:crypto';
import { InvalidInput, PermissionDenied } from '../../platform/errors.ts';
import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import { readDatetime, parseDatetime } from '../../platform/http/parameters/datetime.ts';
import { changesBetween } from '../../people/audit/audit-log.ts';
import { type AuditVerb } from '../../people/audit/entry.ts';
import { ensureRaw, rawAccess } from '../../people/access/raw-data.ts';
import { ensureHardToGuess, hashPassword } from '../../platform/secrets/passwords.ts';
import { NO_OVERLAY } from '../insights/results/overlay.ts';
import { rawDataInInsight } from '../queries/raw-data.ts';
import type { BoundDashboardStores, DashboardStores } from '../dashboards/stores.ts';
import { ensureSeesAll } from '../dashboards/tiles/permissions.ts';
import {
  isExpired,
  isOpen,
  type SharedObject,
  type SharingConfiguration,
  type SharingFields,
} from './configurations.store.ts';
import type { SharePassword } from './passwords.store.ts';
import { readSettings } from './settings.ts';
import type { ChangedSharing, NewPassword } from './schema.ts';

/** 176 bits in 30 characters, so a token cannot be guessed. */
const TOKEN_BYTES = 22;
const PASSWORD_BYTES = 16;
const GRACE_SECONDS = 300;
const MIN_PASSWORD = 8;
/** Limited because each attempt is compared with all passwords of the object, which is expensive. */
const MAX_PASSWORDS = 10;

/** Names of the kinds in the audit log. */
export const ACTIVITY_SCOPE = { dashboard: 'Dashboard', insight: 'Insight' } as const;

type SharedTarget = { project: Pick<Project, 'id' | 'organizationId'>; object: SharedObject };
type Expiring = Pick<SharingConfiguration, 'enabled' | 'expiresAt'>;
type Change = SharedTarget & { author: Caller; rights: Rights };

/** Refuses to add a password while no password is required. */
export class NotProtected extends Error {}

export type Sharing = ReturnType<typeof createSharing>;

export function createSharing(stores: DashboardStores) {
  return {
    /** Returns the configuration, and creates it with a lasting token if there is none. */
    async get({ project, object }: SharedTarget): Promise<SharingConfiguration> {
      return findOrCreate(stores, project.id, object);
    },

    /** @throws InvalidInput; PermissionDenied if the organization disables sharing or the caller may not see all that would be shared */
    async change(change: Change, body: ChangedSharing) {
      const { enabled, settings, password_required: passwordRequired, expires_at: expiry } = body;
      const newSettings = settings === undefined ? undefined : readSettings(settings);
      const expiresAt = typeof expiry === 'string' ? readExpiry(expiry) : expiry;
      return stores.inTransaction(change.project.id, async (tx) => {
        const before = await findOrCreate(tx, change.project.id, change.object);
        const next = {
          enabled: enabled ?? before.enabled,
          expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
        };
        const startsSharing = isOpen(next) && !isOpen(before);
        if ((enabled || startsSharing) && !(await tx.sharing.isAllowed(change.project.organizationId))) {
          throw new PermissionDenied('Public sharing is disabled for this organization.');
        }
        ensureExpiryAhead(before, next);
        if (startsSharing && change.object.kind === 'dashboard') {
          await ensureSeesAll({ ...change, caller: change.author, stores: tx }, change.object.id);
        }
        if (startsSharing && change.object.kind === 'insight') {
          const { query } = await tx.insights.get(change.project.id, change.object.id);
          const access = rawAccess({ caller: change.author, rights: change.rights });
          ensureRaw(access, rawDataInInsight(query, NO_OVERLAY));
        }
        const stopsSharing = enabled === false && before.enabled;
        if (stopsSharing) await tx.sharing.dropFormer(before);
        const after = await tx.sharing.update(before, {
          ...omitUndefined({ enabled, settings: newSettings, passwordRequired, expiresAt }),
          ...(stopsSharing && { accessToken: newToken() }),
        });
        await recordChange(tx, change, before, after);
        return after;
      });
    },

    /** Replaces the token; while sharing is on, the previous one works a little longer. */
    async refresh(change: Change): Promise<SharingConfiguration> {
      return stores.inTransaction(change.project.id, async (tx) => {
        const before = await findOrCreate(tx, change.project.id, change.object);
        const after = await tx.sharing.update(before, { accessToken: newToken() });
        if (before.enabled) await tx.sharing.keepFormer(before, GRACE_SECONDS);
        await record(tx, change, 'access token refreshed', []);
        return after;
      });
    },

    /**
     * @returns the password, which no later answer shows
     * @throws NotProtected when no password is required; InvalidInput
     */
    async addPassword(change: Change, { raw_password: chosenPassword, note }: NewPassword) {
      if (chosenPassword && chosenPassword.length < MIN_PASSWORD) {
        throw new InvalidInput(`Password must be at least ${MIN_PASSWORD} characters long.`, 'raw_password');
      }
      if (chosenPassword) await ensureHardToGuess(chosenPassword, 'raw_password');
      const password = chosenPassword || randomBytes(PASSWORD_BYTES).toString('base64url');
      const passwordHash = await hashPassword(password);
      return stores.inTransaction(change.project.id, async (tx) => {
        const { id, passwordRequired } = await findOrCreate(tx, change.project.id, change.object);
        if (!passwordRequired) throw new NotProtected('Password protection must be enabled before creating passwords');
        if ((await tx.sharePasswords.list(id)).length >= MAX_PASSWORDS) {
          throw new InvalidInput(`There are ${MAX_PASSWORDS} passwords already: delete one first.`);
        }
        const fields = { passwordHash, note: note || null, createdBy: change.author.userId };
        const sharePassword = await tx.sharePasswords.insert(id, fields);
        await record(tx, change, 'updated', passwordChanges(undefined, sharePassword));
        return { made: sharePassword, password };
      });
    },

    /** Removes a password, and with it the access of everyone who used it. @returns false when there is no such password */
    async removePassword(change: Change, passwordId: number): Promise<boolean> {
      return stores.inTransaction(change.project.id, async (tx) => {
        const { id } = await findOrCreate(tx, change.project.id, change.object);
        const password = (await tx.sharePasswords.list(id)).find((candidate) => candidate.id === passwordId);
        if (!password) return false;
        await tx.sharePasswords.deactivate(id, passwordId);
        await record(tx, change, 'updated', passwordChanges(password, undefined));
        return true;
      });
    },

    listPasswords: (configuration: SharingConfiguration) => stores.sharePasswords.list(configuration.id),
  };
}

async function findOrCreate(
  tx: BoundDashboardStores,
  projectId: number,
  object: SharedObject,
): Promise<SharingConfiguration> {
  const known = await tx.sharing.find(projectId, object);
  if (known) return known;
  await tx.sharing.insert(projectId, object, newToken());
  return (await tx.sharing.find(projectId, object))!;
}

/** @throws InvalidInput for a text that is not an instant or has no zone, because a link must not live hours longer than its author thinks */
function readExpiry(text: string): string {
  const instant = readDatetime(text, 'expires_at');
  if (parseDatetime(text)?.zoned) return instant;
  throw new InvalidInput(
    'Give the time with its zone, such as 2027-01-31T18:00:00+01:00 or 2027-01-31T17:00:00Z.',
    'expires_at',
  );
}

/** @throws InvalidInput if a new expiry is in the past, or if sharing would start with an expiry that has passed */
function ensureExpiryAhead(before: Expiring, next: Expiring): void {
  if (!isExpired(next)) return;
  const isNew = before.expiresAt === null || Date.parse(before.expiresAt) !== Date.parse(next.expiresAt!);
  if (isNew) {
    throw new InvalidInput('Must be in the future. To stop sharing now, send `enabled: false`.', 'expires_at');
  }
  if (next.enabled && !before.enabled) {
    throw new InvalidInput(
      `The link expired at ${next.expiresAt}. To share again, send a later time, or null for a link that does not expire.`,
      'expires_at',
    );
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

async function recordChange(
  tx: BoundDashboardStores,
  change: Change,
  before: SharingConfiguration,
  after: SharingConfiguration,
): Promise<void> {
  const changes = changesBetween(ACTIVITY_SCOPE[change.object.kind], loggedSharing(before), loggedSharing(after));
  if (changes.length === 0) return;
  const verb = before.enabled === after.enabled ? 'updated' : after.enabled ? 'sharing enabled' : 'sharing disabled';
  await record(tx, change, verb, changes);
}

/** All fields but the token, because the token opens the object. */
function loggedSharing({ enabled, settings, passwordRequired, expiresAt }: Omit<SharingFields, 'accessToken'>) {
  return {
    sharing_enabled: enabled,
    sharing_settings: settings,
    sharing_password_required: passwordRequired,
    sharing_expires_at: expiresAt,
  };
}

function passwordChanges(before: SharePassword | undefined, after: SharePassword | undefined) {
  return changesBetween('SharePassword', loggedPasswordFields(before), loggedPasswordFields(after));
}

function loggedPasswordFields(password: SharePassword | undefined) {
  return { share_access: password ? { id: password.id, note: password.note } : null };
}

async function record(
  tx: BoundDashboardStores,
  { project, object, author }: Change,
  activity: AuditVerb,
  changes: ReturnType<typeof changesBetween>,
): Promise<void> {
  const { kind, id: itemId } = object;
  const { name } = await (kind === 'dashboard' ? tx.dashboards : tx.insights).get(project.id, itemId);
  const scope = ACTIVITY_SCOPE[kind];
  await tx.auditLog.record({ project, author, scope, type: kind, itemId, activity, name: name ?? '', changes });
}
