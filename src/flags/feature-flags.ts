/**
 * Creates and changes feature flags, and checks that the result is consistent. Surveys, experiments and early access features manage
 * their own flags with these functions too, inside their transactions.
 */
import { isDeepStrictEqual } from 'node:util';
import { Conflict, InvalidInput } from '../platform/errors.ts';
import type { Project, Rights } from '../platform/http/access.ts';
import { changesBetween, type Author } from '../people/audit/audit-log.ts';
import { type Change } from '../people/audit/entry.ts';
import { ensureEditor } from '../people/access/rights.ts';
import { validateFilters } from './feature-flags/checks/check-filters.ts';
import { checkCombination } from './feature-flags/checks/check-together.ts';
import { checkReferences } from './feature-flags/checks/check-references.ts';
import { refuseToEncrypt, extractSecretPayload, type EncryptPayload } from './feature-flags/encrypted-payloads.ts';
import { COLUMN, type FeatureFlag, type FlagFields } from './feature-flags/feature-flags.store.ts';
import { MATCH_EVERYBODY, withFullRollout, type FlagFilters } from './feature-flags/filters.ts';
import {
  checkNoDependents,
  checkStaysPersonBased,
  checkOpenExperimentUnaffected,
  checkUnused,
  checkRemovedVariantsUnused,
} from './feature-flags/checks/guards.ts';
import { MASK } from './feature-flags/payloads.ts';
import { fieldsOf } from './feature-flags/present.ts';
import type { BoundFlagStores } from './stores.ts';

/** Unchecked fields from a client. */
type GivenFields = Partial<Omit<FlagFields, 'filters' | 'encryptedPayloads'>> & {
  filters?: Readonly<Record<string, unknown>>;
};

export type NewFlag = Omit<GivenFields, 'deleted'> & { key: string };

/** Omitted fields keep their values. */
export type FlagChanges = GivenFields & {
  /** The version that the author read. */
  version?: number;
  /** Fields as the author read them from the API. A field that another author changed since is a conflict. */
  original?: Readonly<Record<string, unknown>>;
};

/**
 * Author of a change to a flag. Without `rights` no permission is checked, because the flag follows the object that owns it, such as a
 * survey. That object's change was permitted already, or was made by the survey clock.
 */
export type FlagAuthor = Author & { rights?: Rights; viewer?: Viewer };

/** Author whose rights to the changed object's flag, if it has one, are checked. */
export type EntitledAuthor = Author & { rights: Rights };

/** Reader of an error message, which must not name flags that are hidden from them. The author by default. */
type Viewer = Pick<Rights, 'levelOf'>;

const SCOPE = 'FeatureFlag';
const DEFAULTS: Omit<FlagFields, 'key'> = {
  name: '',
  filters: MATCH_EVERYBODY,
  active: true,
  deleted: false,
  ensureExperienceContinuity: false,
  evaluationRuntime: 'all',
  bucketingIdentifier: 'distinct_id',
  evaluationContexts: [],
  tags: [],
  isRemoteConfiguration: false,
  hasEncryptedPayloads: false,
  encryptedPayloads: null,
};

/**
 * @param stores of a transaction that holds the project's lock (`stores.inTransaction`)
 * @param input without `filters` the flag is on for everybody
 * @param encrypt encrypts the payload of a flag with encrypted payloads
 * @throws PermissionDenied when the author may not make flags
 * @throws InvalidInput naming the field
 */
export async function createFlag(
  stores: BoundFlagStores,
  project: Project,
  author: FlagAuthor,
  input: NewFlag,
  encrypt: EncryptPayload = refuseToEncrypt,
): Promise<FeatureFlag> {
  ensureMayEdit(author);
  const wanted = validateNewFlag(input);
  await checkKeyIsFree(stores, project.id, wanted.key);
  await checkReferences(stores, project.id, wanted, viewerOf(author));
  const { secret, ...fields } = extractSecretPayload(wanted);
  let flag = await stores.flags.insert(project.id, author.userId, fields);
  // The ciphertext is bound to the row's id, which exists only after the insert.
  if (secret !== undefined) flag = await stores.flags.setEncryptedPayloads(flag.id, encrypt(flag, secret));
  await recordChange(stores, project, author, 'created', flag, []);
  return flag;
}

/**
 * Checks a new flag without its references, which `createFlag` checks.
 * @returns the flag as stored, except for encrypted fields
 * @throws InvalidInput naming the field
 */
export function validateNewFlag({ filters: given, ...otherFields }: NewFlag): FlagFields {
  checkKey(otherFields.key);
  const checked = given === undefined ? MATCH_EVERYBODY : validateFilters(given);
  const filters = otherFields.isRemoteConfiguration ? withFullRollout(checked) : checked;
  if (filters.groups.length === 0) {
    throw new InvalidInput('Feature flags need at least one condition set.', 'filters__groups');
  }
  const wanted = { ...DEFAULTS, ...otherFields, filters };
  checkCombination(wanted);
  return wanted;
}

/**
 * Changes a flag. Its version rises only if a field gets another value.
 * @param stores of a transaction that holds the project's lock
 * @throws NotFound
 * @throws PermissionDenied when the author may not change this flag
 * @throws InvalidInput naming the field
 * @throws Conflict when another author changed the same field since this author read it
 */
export async function changeFlag(
  stores: BoundFlagStores,
  project: Project,
  author: FlagAuthor,
  id: number,
  { version, original = {}, ...changes }: FlagChanges,
  encrypt: EncryptPayload = refuseToEncrypt,
): Promise<FeatureFlag> {
  const current = await stores.flags.get(project.id, id);
  const { secret, ...after } = extractSecretPayload(wantedFields(current, changes), current);
  if (secret !== undefined) after.encryptedPayloads = encrypt(current, secret);
  const wanted = differences(current, after);
  if (Object.keys(wanted).length === 0) return current;
  ensureMayEdit(author, current);
  if (version !== undefined && version !== current.version) await checkNoConflict(stores, current, after, original);
  await checkChange(stores, { current, after, viewer: viewerOf(author) }, wanted);
  const flag = await stores.flags.update(id, author.userId, wanted);
  await recordChange(stores, project, author, verbOf(wanted), flag, changesOf(current, flag));
  return flag;
}

/** @throws PermissionDenied when the author may not make flags, or change this one */
export function ensureMayEdit({ rights }: FlagAuthor, flag?: FeatureFlag): void {
  if (rights) ensureEditor(rights, 'feature_flag', flag);
}

function viewerOf({ rights, viewer = rights }: FlagAuthor): Viewer | undefined {
  return viewer;
}

function wantedFields(current: FeatureFlag, { filters: given, ...otherFields }: GivenFields): FlagFields {
  // A PATCH without condition sets keeps the current ones; one with an empty list removes them.
  const filters = given === undefined ? current.filters : validateFilters({ groups: current.filters.groups, ...given });
  const wanted = { ...current, ...otherFields, filters };
  return wanted.key === current.key
    ? wanted
    : { ...wanted, filters: renameEnrollment(filters, current.key, wanted.key) };
}

/** Renames the enrollment property in the filters, because its name contains the flag's key. */
function renameEnrollment(filters: FlagFilters, from: string, to: string): FlagFilters {
  if (!filters.super_groups) return filters;
  const property = `$feature_enrollment/${from}`;
  const super_groups = filters.super_groups.map((set) => ({
    ...set,
    properties: (set.properties ?? []).map((condition) =>
      condition.key === property ? { ...condition, key: `$feature_enrollment/${to}` } : condition,
    ),
  }));
  return { ...filters, super_groups };
}

function differences(current: FeatureFlag, after: FlagFields): Partial<FlagFields> {
  const names = Object.keys(DEFAULTS).concat('key') as (keyof FlagFields)[];
  return Object.fromEntries(
    names.filter((name) => !isDeepStrictEqual(current[name], after[name])).map((name) => [name, after[name]]),
  );
}

/** Refuses conflicting changes by upstream's rule: fields that the author did not read, or sends as read, never conflict. */
async function checkNoConflict(
  { users }: BoundFlagStores,
  current: FeatureFlag,
  after: FlagFields,
  original: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [now, wanted] = [fieldsOf(current), fieldsOf({ ...current, ...after })];
  const isDisputed = (name: keyof typeof now) =>
    Object.hasOwn(original, name) &&
    !isDeepStrictEqual(original[name], now[name]) &&
    !isDeepStrictEqual(original[name], wanted[name]) &&
    !isDeepStrictEqual(now[name], wanted[name]);
  if (!(Object.keys(now) as (keyof typeof now)[]).some(isDisputed)) return;
  const editors = await users.findByIds([current.lastModifiedBy]);
  const name = editors.values().next().value?.email ?? 'somebody else';
  throw new Conflict(
    `The feature flag was updated by ${name} since you started editing it. Please refresh and try again.`,
  );
}

async function checkChange(
  stores: BoundFlagStores,
  { current, after, viewer }: { current: FeatureFlag; after: FlagFields; viewer: Viewer | undefined },
  wanted: Partial<FlagFields>,
): Promise<void> {
  const { id, projectId } = current;
  checkCombination(after, current);
  if (wanted.deleted) {
    await checkUnused(stores, current);
    return checkNoDependents(stores, current, 'delete', viewer);
  }
  if (wanted.key !== undefined || wanted.deleted === false) {
    checkKey(after.key);
    await checkKeyIsFree(stores, projectId, after.key, id);
  }
  if (wanted.active === false) await checkNoDependents(stores, current, 'disable', viewer);
  const isReactivated = after.active && (wanted.active === true || wanted.deleted === false);
  await checkOpenExperimentUnaffected(stores, current, after);
  if (wanted.filters) {
    await checkStaysPersonBased(stores, current, wanted.filters);
    await checkRemovedVariantsUnused(stores, current, wanted.filters, viewer);
  }
  if (wanted.filters || isReactivated) {
    await checkReferences(stores, projectId, { id, key: after.key, filters: after.filters }, viewer);
  }
}

const KEY = /^[a-zA-Z0-9_-]+$/;
const MAX_KEY = 400;

function checkKey(key: string): void {
  if (key.length > MAX_KEY) {
    throw new InvalidInput(`Ensure this field has no more than ${MAX_KEY} characters.`, 'key', 'max_length');
  }
  if (!KEY.test(key)) {
    throw new InvalidInput('Only letters, numbers, hyphens (-) & underscores (_) are allowed.', 'key', 'invalid_key');
  }
}

async function checkKeyIsFree({ flags }: BoundFlagStores, projectId: number, key: string, own?: number): Promise<void> {
  const other = await flags.findByKey(projectId, key);
  if (other && other.id !== own) {
    throw new InvalidInput('There is already a feature flag with this key.', 'key', 'unique');
  }
}

function verbOf({ deleted }: Partial<FlagFields>) {
  if (deleted === undefined) return 'updated';
  return deleted ? 'deleted' : 'restored';
}

/** Masks both payloads if either version is encrypted, because a public payload may have become a secret. */
function changesOf(before: FeatureFlag, after: FeatureFlag): Change[] {
  const masked = before.hasEncryptedPayloads || after.hasEncryptedPayloads;
  const changes = changesBetween(SCOPE, fieldsOf(before, masked), fieldsOf(after, masked));
  if (before.encryptedPayloads === after.encryptedPayloads) return changes;
  return [...changes, { type: SCOPE, action: 'changed', field: COLUMN.encryptedPayloads, before: MASK, after: MASK }];
}

async function recordChange(
  { auditLog }: BoundFlagStores,
  project: Project,
  author: Author,
  verb: 'created' | 'updated' | 'deleted' | 'restored',
  flag: FeatureFlag,
  changes: Change[],
): Promise<void> {
  const { id, key, version } = flag;
  await auditLog.record({ project, author, scope: SCOPE, itemId: id, activity: verb, name: key, version, changes });
}
