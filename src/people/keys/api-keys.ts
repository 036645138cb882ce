/** Creates, changes, rolls and deletes keys, within limits and with entries in the audit log. */
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import type { Author } from '../audit/audit-log.ts';
import { type AuditVerb } from '../audit/entry.ts';
import type { ApiKey, IssuedKey, KeyChanges, KeyOwner, NewKey } from './keys.store.ts';
import { maskOf } from './keys.ts';
import { rightsOfMember } from '../access/rights.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';

const MAX_PERSONAL_KEYS = 10;
const MAX_PROJECT_KEYS = 50;

export type ApiKeys = ReturnType<typeof apiKeys>;

export function apiKeys(stores: IdentityStores) {
  return {
    /** Lists an owner's keys, newest first. */
    list: (owner: KeyOwner): Promise<ApiKey[]> => stores.keys.list(owner),

    /** @throws NotFound */
    async get(owner: KeyOwner, id: string): Promise<ApiKey> {
      return ensureFound(await stores.keys.find(owner, id));
    },

    /**
     * @returns the row and the key, which cannot be read again later
     * @throws InvalidInput if the owner has too many keys, or is not a member of all that the key is limited to
     */
    async create(owner: KeyOwner, settings: NewKey, author: Author): Promise<IssuedKey> {
      await ensureMember(stores, owner, settings);
      return stores.inTransaction(async (tx) => {
        ensureBelowLimit(owner, await tx.keys.countForUpdate(owner));
        const createdBy = 'projectId' in owner ? author.userId : null;
        const created = await tx.keys.create(owner, { ...settings, createdBy });
        await record(tx, created, { author, activity: 'created' });
        return created;
      });
    },

    /**
     * Changes a key; omitted fields keep their values.
     * @throws NotFound, and InvalidInput as `create` does
     */
    async change(owner: KeyOwner, id: string, changes: KeyChanges, author: Author): Promise<ApiKey> {
      ensureFound(await stores.keys.find(owner, id));
      await ensureMember(stores, owner, changes);
      return stores.inTransaction(async (tx) => {
        const before = ensureFound(await tx.keys.lock(owner, id));
        const after = ensureFound(await tx.keys.change(owner, id, changes));
        await record(tx, after, { author, activity: 'updated', before });
        return after;
      });
    },

    /**
     * Gives a key a new value.
     * @param graceSeconds how long the old value remains valid
     * @throws NotFound
     */
    async roll(owner: KeyOwner, id: string, graceSeconds: number, author: Author): Promise<IssuedKey> {
      return stores.inTransaction(async (tx) => {
        const before = ensureFound(await tx.keys.lock(owner, id));
        const after = ensureFound(await tx.keys.roll(owner, id, graceSeconds));
        await record(tx, after, { author, activity: 'updated', before });
        return after;
      });
    },

    /** @throws NotFound */
    async delete(owner: KeyOwner, id: string, author: Author): Promise<void> {
      await stores.inTransaction(async (tx) => {
        const before = ensureFound(await tx.keys.lock(owner, id));
        await record(tx, before, { author, activity: 'deleted' });
        await tx.keys.delete(owner, id);
      });
    },
  };
}

function ensureFound<K>(key: K | undefined): K {
  if (key === undefined) throw new NotFound();
  return key;
}

function ensureBelowLimit(owner: KeyOwner, count: number): void {
  const [max, kind] = 'userId' in owner ? [MAX_PERSONAL_KEYS, 'personal'] : [MAX_PROJECT_KEYS, 'project secret'];
  if (count < max) return;
  throw new InvalidInput(
    `You can only have ${max} ${kind} API keys. Remove an existing key before creating a new one.`,
  );
}

/** Checks that the user is in all projects and organizations of a key's limits, because the key would gain access if they joined later. */
async function ensureMember(stores: IdentityStores, owner: KeyOwner, limits: KeyChanges): Promise<void> {
  if (!('userId' in owner)) return;
  const { userId } = owner;
  const mayEnter = async (projectId: number) => {
    const member = await stores.accessControls.findMember(projectId, userId);
    return member !== undefined && rightsOfMember(member) !== null;
  };
  const isMember = async (id: string) => (await stores.tenants.findOrganization(userId, id)) !== undefined;
  if (!(await holdsForAll(limits.onlyProjects, mayEnter))) throw notMemberError('teams', 'scoped_teams');
  if (!(await holdsForAll(limits.onlyOrganizations, isMember)))
    throw notMemberError('organizations', 'scoped_organizations');
}

async function holdsForAll<T>(all: readonly T[] | null | undefined, holds: (item: T) => Promise<boolean>) {
  for (const item of all ?? []) if (!(await holds(item))) return false;
  return true;
}

function notMemberError(owners: string, attr: string): InvalidInput {
  return new InvalidInput(`You must be a member of all ${owners} that you are scoping the key to.`, attr);
}

type Entry = { author: Author; activity: AuditVerb; before?: ApiKey };

/** Records an entry in the key's project, or in every organization that a personal key can access. */
async function record(
  { auditLog, keys }: BoundIdentityStores,
  key: ApiKey,
  { before, ...entry }: Entry,
): Promise<void> {
  const scope = key.userId === null ? 'ProjectSecretAPIKey' : 'PersonalAPIKey';
  for (const project of await keys.findProjectAndOrganizations(key)) {
    const logEntry = { ...entry, project, scope, itemId: key.id, name: key.label };
    await auditLog.recordChange(logEntry, before && auditedFields(before), auditedFields(key));
  }
}

function auditedFields(key: ApiKey) {
  return {
    label: key.label,
    description: key.description,
    scopes: key.scopes,
    scoped_teams: key.onlyProjects,
    scoped_organizations: key.onlyOrganizations,
    expires_at: key.expiresAt,
    mask_value: maskOf(key),
    last_rolled_at: key.lastRolledAt,
  };
}
