/**
 * Whether strangers see a dashboard or an insight, by which link, and with which passwords.
 *
 * An object has its token from the first look at its sharing on, and keeps it until it is refreshed (the old one is good for five
 * minutes more) or disabled (then all its tokens are dead for good; the next one is told at once).
 */
import { randomBytes } from 'node:crypto';
import { InvalidInput, PermissionDenied } from '../../platform/errors.ts';
import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import { changesBetween } from '../../people/audit/audit-log.ts';
import { type AuditVerb } from '../../people/audit/entry.ts';
import { ensureRaw, rawAccess } from '../../people/access/raw-data.ts';
import { ensureHardToGuess, hashPassword } from '../../platform/secrets/passwords.ts';
import { NO_OVERLAY } from '../insights/results/overlay.ts';
import { shownByInsight } from '../queries/raw-data.ts';
import type { DashboardBound, DashboardStores } from '../dashboards/stores.ts';
import { ensureSeesAll } from '../dashboards/tiles/permissions.ts';
import type { SharedObject, SharingConfiguration, SharingFields } from './configurations.store.ts';
import type { SharePassword } from './passwords.store.ts';
import { readSettings } from './settings.ts';
import type { ChangedSharing, NewPassword } from './schema.ts';

/** 176 bits, 30 characters: nobody guesses it. */
const TOKEN_BYTES = 22;
const PASSWORD_BYTES = 16;
const GRACE_SECONDS = 300;
const MIN_PASSWORD = 8;
/** Each of them is compared when somebody gives one, which is expensive. */
const MAX_PASSWORDS = 10;

/** As entries of the activity log call the kinds. */
export const ACTIVITY_SCOPE = { dashboard: 'Dashboard', insight: 'Insight' } as const;

type Place = { project: Pick<Project, 'id' | 'organizationId'>; object: SharedObject };
type Change = Place & { author: Caller; rights: Rights };

/** Refuses an operation that needs a required password first. */
export class NotProtected extends Error {}

export type Sharing = ReturnType<typeof createSharing>;

export function createSharing(stores: DashboardStores) {
  return {
    /** The configuration, made when there is none: its token stays. */
    async get({ project, object }: Place): Promise<SharingConfiguration> {
      return ensure(stores, project.id, object);
    },

    /** @throws InvalidInput; PermissionDenied when the organization shares nothing, or the caller may not see all of it */
    async change(change: Change, { enabled, settings, password_required: passwordRequired }: ChangedSharing) {
      const wanted = settings === undefined ? undefined : readSettings(settings);
      return stores.inTransaction(change.project.id, async (bound) => {
        if (enabled && !(await bound.sharing.isAllowed(change.project.organizationId))) {
          throw new PermissionDenied('Public sharing is disabled for this organization.');
        }
        const before = await ensure(bound, change.project.id, change.object);
        const begins = enabled === true && !before.enabled;
        if (begins && change.object.kind === 'dashboard') {
          await ensureSeesAll({ ...change, caller: change.author, stores: bound }, change.object.id);
        }
        if (begins && change.object.kind === 'insight') {
          const { query } = await bound.insights.get(change.project.id, change.object.id);
          const access = rawAccess({ caller: change.author, rights: change.rights });
          ensureRaw(access, shownByInsight(query, NO_OVERLAY));
        }
        const ends = enabled === false && before.enabled;
        if (ends) await bound.sharing.dropFormer(before);
        const after = await bound.sharing.update(before, {
          ...(enabled !== undefined && { enabled }),
          ...(wanted !== undefined && { settings: wanted }),
          ...(passwordRequired !== undefined && { passwordRequired }),
          ...(ends && { accessToken: newToken() }),
        });
        await recordChange(bound, change, before, after);
        return after;
      });
    },

    /** Another token. */
    async refresh(change: Change): Promise<SharingConfiguration> {
      return stores.inTransaction(change.project.id, async (bound) => {
        const before = await ensure(bound, change.project.id, change.object);
        const after = await bound.sharing.update(before, { accessToken: newToken() });
        if (before.enabled) await bound.sharing.keepFormer(before, GRACE_SECONDS);
        await record(bound, change, 'access token refreshed', []);
        return after;
      });
    },

    /**
     * @returns the password, which nobody is told again
     * @throws NotProtected when passwords are not asked for; InvalidInput
     */
    async addPassword(change: Change, { raw_password: given, note }: NewPassword) {
      if (given && given.length < MIN_PASSWORD) {
        throw new InvalidInput(`Password must be at least ${MIN_PASSWORD} characters long.`, 'raw_password');
      }
      if (given) await ensureHardToGuess(given, 'raw_password');
      const password = given || randomBytes(PASSWORD_BYTES).toString('base64url');
      const passwordHash = await hashPassword(password);
      return stores.inTransaction(change.project.id, async (bound) => {
        const { id, passwordRequired } = await ensure(bound, change.project.id, change.object);
        if (!passwordRequired) throw new NotProtected('Password protection must be enabled before creating passwords');
        if ((await bound.sharePasswords.list(id)).length >= MAX_PASSWORDS) {
          throw new InvalidInput(`There are ${MAX_PASSWORDS} passwords already: delete one first.`);
        }
        const fields = { passwordHash, note: note || null, createdBy: change.author.userId };
        const made = await bound.sharePasswords.insert(id, fields);
        await record(bound, change, 'updated', passwordChanges(undefined, made));
        return { made, password };
      });
    },

    /** Removes a password, and with it the access of its visitors. @returns false when there is no such password */
    async removePassword(change: Change, passwordId: number): Promise<boolean> {
      return stores.inTransaction(change.project.id, async (bound) => {
        const { id } = await ensure(bound, change.project.id, change.object);
        const removed = (await bound.sharePasswords.list(id)).find((one) => one.id === passwordId);
        if (!removed) return false;
        await bound.sharePasswords.deactivate(id, passwordId);
        await record(bound, change, 'updated', passwordChanges(removed, undefined));
        return true;
      });
    },

    passwordsOf: (configuration: SharingConfiguration) => stores.sharePasswords.list(configuration.id),
  };
}

async function ensure(bound: DashboardBound, projectId: number, object: SharedObject): Promise<SharingConfiguration> {
  const known = await bound.sharing.find(projectId, object);
  if (known) return known;
  await bound.sharing.insert(projectId, object, newToken());
  return (await bound.sharing.find(projectId, object))!;
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

async function recordChange(
  bound: DashboardBound,
  change: Change,
  before: SharingConfiguration,
  after: SharingConfiguration,
): Promise<void> {
  const scope = ACTIVITY_SCOPE[change.object.kind];
  const changes = changesBetween(scope, tellable(before), tellable(after));
  if (changes.length === 0) return;
  const verb = before.enabled === after.enabled ? 'updated' : after.enabled ? 'sharing enabled' : 'sharing disabled';
  await record(bound, change, verb, changes);
}

/** All but the token: who has that is in. */
function tellable({ enabled, settings, passwordRequired }: Omit<SharingFields, 'accessToken'>) {
  return { sharing_enabled: enabled, sharing_settings: settings, sharing_password_required: passwordRequired };
}

function passwordChanges(before: SharePassword | undefined, after: SharePassword | undefined) {
  return changesBetween('SharePassword', tellablePassword(before), tellablePassword(after));
}

function tellablePassword(one: SharePassword | undefined) {
  return { share_access: one ? { id: one.id, note: one.note } : null };
}

async function record(
  bound: DashboardBound,
  { project, object, author }: Change,
  activity: AuditVerb,
  changes: ReturnType<typeof changesBetween>,
): Promise<void> {
  const { kind, id: itemId } = object;
  const { name } = await (kind === 'dashboard' ? bound.dashboards : bound.insights).get(project.id, itemId);
  const scope = ACTIVITY_SCOPE[kind];
  await bound.auditLog.record({ project, author, scope, type: kind, itemId, activity, name: name ?? '', changes });
}
