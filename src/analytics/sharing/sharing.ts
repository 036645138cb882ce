/**
 * Whether strangers see a dashboard or an insight, by which link, and with which passwords.
 *
 * An object has its token from the first look at its sharing on, and keeps it until it is refreshed (the old one is good for five
 * minutes more) or disabled (then all its tokens are dead for good; the next one is told at once). A token that expired works again
 * once a later time is set.
 */
import { randomBytes } from 'node:crypto';
import { InvalidInput, PermissionDenied } from '../../platform/errors.ts';
import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import { datetimeOf, parseDatetime } from '../../platform/http/parameters/datetime.ts';
import { changesBetween } from '../../people/audit/audit-log.ts';
import { type AuditVerb } from '../../people/audit/entry.ts';
import { ensureRaw, rawAccess } from '../../people/access/raw-data.ts';
import { ensureHardToGuess, hashPassword } from '../../platform/secrets/passwords.ts';
import { NO_OVERLAY } from '../insights/results/overlay.ts';
import { shownByInsight } from '../queries/raw-data.ts';
import type { DashboardBound, DashboardStores } from '../dashboards/stores.ts';
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
type Expiring = Pick<SharingConfiguration, 'enabled' | 'expiresAt'>;
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
    async change(change: Change, body: ChangedSharing) {
      const { enabled, settings, password_required: passwordRequired, expires_at: expiry } = body;
      const wanted = settings === undefined ? undefined : readSettings(settings);
      const expiresAt = typeof expiry === 'string' ? expiryOf(expiry) : expiry;
      return stores.inTransaction(change.project.id, async (bound) => {
        const before = await ensure(bound, change.project.id, change.object);
        const next = {
          enabled: enabled ?? before.enabled,
          expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
        };
        const begins = isOpen(next) && !isOpen(before);
        if ((enabled || begins) && !(await bound.sharing.isAllowed(change.project.organizationId))) {
          throw new PermissionDenied('Public sharing is disabled for this organization.');
        }
        ensureAhead(before, next);
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
          ...(expiresAt !== undefined && { expiresAt }),
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

/** @throws InvalidInput for a text that is no instant, or says no zone: a link must not live hours longer than its author thinks */
function expiryOf(text: string): string {
  const instant = datetimeOf(text, 'expires_at');
  if (parseDatetime(text)?.zoned) return instant;
  throw new InvalidInput(
    'Say the time and its zone, as in 2027-01-31T18:00:00+01:00 or 2027-01-31T17:00:00Z.',
    'expires_at',
  );
}

/** @throws InvalidInput for a new time that has passed, and where sharing would begin with one that has */
function ensureAhead(before: Expiring, next: Expiring): void {
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
  bound: DashboardBound,
  change: Change,
  before: SharingConfiguration,
  after: SharingConfiguration,
): Promise<void> {
  const changes = changesBetween(ACTIVITY_SCOPE[change.object.kind], tellable(before), tellable(after));
  if (changes.length === 0) return;
  const verb = before.enabled === after.enabled ? 'updated' : after.enabled ? 'sharing enabled' : 'sharing disabled';
  await record(bound, change, verb, changes);
}

/** All but the token: who has that is in. */
function tellable({ enabled, settings, passwordRequired, expiresAt }: Omit<SharingFields, 'accessToken'>) {
  return {
    sharing_enabled: enabled,
    sharing_settings: settings,
    sharing_password_required: passwordRequired,
    sharing_expires_at: expiresAt,
  };
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
