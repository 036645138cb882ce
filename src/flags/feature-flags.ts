/**
 * Making and changing feature flags, with everything that must hold afterwards. Other resources that have flags of their own
 * (surveys, experiments, early access features) do it with these, too, in the transaction that they hold.
 */
import { isDeepStrictEqual } from 'node:util';
import { Conflict, InvalidInput } from '../platform/errors.ts';
import type { Project, Rights } from '../platform/http/access.ts';
import { changesBetween, type Author } from '../people/audit/audit-log.ts';
import { type Change } from '../people/audit/entry.ts';
import { ensureEditor } from '../people/access/rights.ts';
import { checkedFilters } from './feature-flags/checks/check-filters.ts';
import { checkTogether } from './feature-flags/checks/check-together.ts';
import { checkReferences } from './feature-flags/checks/check-references.ts';
import { refuseToEncrypt, encryptedFields, type EncryptPayload } from './feature-flags/encrypted-payloads.ts';
import { COLUMN, type FeatureFlag, type FlagFields } from './feature-flags/feature-flags.store.ts';
import { EVERYBODY, rolledOut, type FlagFilters } from './feature-flags/filters.ts';
import {
  checkDispensable,
  checkStaysPersonal,
  checkUndisturbed,
  checkUnused,
  checkVariantsUnneeded,
} from './feature-flags/checks/guards.ts';
import { MASK } from './feature-flags/payloads.ts';
import { fieldsOf } from './feature-flags/present.ts';
import type { FlagBound } from './stores.ts';

/** Fields as a client gave them; they are checked here. */
type GivenFields = Partial<Omit<FlagFields, 'filters' | 'encryptedPayloads'>> & {
  filters?: Readonly<Record<string, unknown>>;
};

export type NewFlag = Omit<GivenFields, 'deleted'> & { key: string };

/** Fields that are left out stay. */
export type FlagChanges = GivenFields & {
  /** The version that the author read. */
  version?: number;
  /** The fields that the author read, in the form of the API; a field that changed since must not be changed to another value. */
  original?: Readonly<Record<string, unknown>>;
};

/**
 * Author of a change to a flag. The rights are left out, and no permission is checked, where the flag only follows an object that it
 * belongs to, such as a survey: the change to that object was permitted, or time made it.
 */
export type FlagAuthor = Author & { rights?: Rights; viewer?: Viewer };

/** A user or a key whose rights to the flag are checked, if the changed object has one. */
export type EntitledAuthor = Author & { rights: Rights };

/** Reader of an error, which must not name flags that are hidden from them; by default the one with the rights. */
type Viewer = Pick<Rights, 'levelOf'>;

const SCOPE = 'FeatureFlag';
const DEFAULTS: Omit<FlagFields, 'key'> = {
  name: '',
  filters: EVERYBODY,
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
 * @param stores of a transaction that has the project's turn (`stores.inTransaction`)
 * @param input without filters, everybody gets it
 * @param encrypt of payloads that are to be encrypted
 * @throws PermissionDenied when the author may not make flags
 * @throws InvalidInput naming the field
 */
export async function createFlag(
  stores: FlagBound,
  project: Project,
  author: FlagAuthor,
  input: NewFlag,
  encrypt: EncryptPayload = refuseToEncrypt,
): Promise<FeatureFlag> {
  ensureMay(author);
  const wanted = checkedNewFlag(input);
  await checkKeyIsFree(stores, project.id, wanted.key);
  await checkReferences(stores, project.id, wanted, viewerOf(author));
  const { secret, ...fields } = encryptedFields(wanted);
  let flag = await stores.flags.insert(project.id, author.userId, fields);
  // An encrypted payload is bound to its row, which had no id until now.
  if (secret !== undefined) flag = await stores.flags.setEncryptedPayloads(flag.id, encrypt(flag, secret));
  await record(stores, project, author, 'created', flag, []);
  return flag;
}

/**
 * Checks a new flag alone; its references are checked when it is made.
 * @returns the flag as stored, except for encrypted fields
 * @throws InvalidInput naming the field
 */
export function checkedNewFlag({ filters: given, ...said }: NewFlag): FlagFields {
  checkKey(said.key);
  const checked = given === undefined ? EVERYBODY : checkedFilters(given);
  const filters = said.isRemoteConfiguration ? rolledOut(checked) : checked;
  if (filters.groups.length === 0) {
    throw new InvalidInput('Feature flags need at least one condition set.', 'filters__groups');
  }
  const wanted = { ...DEFAULTS, ...said, filters };
  checkTogether(wanted);
  return wanted;
}

/**
 * Changes a flag. Its version rises only if a field gets another value.
 * @param stores of a transaction that has the project's turn
 * @throws NotFound
 * @throws PermissionDenied when the author may not change this flag
 * @throws InvalidInput naming the field
 * @throws Conflict when another author changed the same field since this author read it
 */
export async function changeFlag(
  stores: FlagBound,
  project: Project,
  author: FlagAuthor,
  id: number,
  { version, original = {}, ...changes }: FlagChanges,
  encrypt: EncryptPayload = refuseToEncrypt,
): Promise<FeatureFlag> {
  const current = await stores.flags.get(project.id, id);
  const { secret, ...after } = encryptedFields(wantedFields(current, changes), current);
  if (secret !== undefined) after.encryptedPayloads = encrypt(current, secret);
  const wanted = differences(current, after);
  if (Object.keys(wanted).length === 0) return current;
  ensureMay(author, current);
  if (version !== undefined && version !== current.version) await refuseConflict(stores, current, after, original);
  await checkChange(stores, { current, after, viewer: viewerOf(author) }, wanted);
  const flag = await stores.flags.update(id, author.userId, wanted);
  await record(stores, project, author, verbOf(wanted), flag, changesOf(current, flag));
  return flag;
}

/** @throws PermissionDenied when the author may not make flags, or change this one */
export function ensureMay({ rights }: FlagAuthor, flag?: FeatureFlag): void {
  if (rights) ensureEditor(rights, 'feature_flag', flag);
}

function viewerOf({ rights, viewer = rights }: FlagAuthor): Viewer | undefined {
  return viewer;
}

function wantedFields(current: FeatureFlag, { filters: given, ...said }: GivenFields): FlagFields {
  // A PATCH may empty the condition sets; without them in it, the present ones stay.
  const filters = given === undefined ? current.filters : checkedFilters({ groups: current.filters.groups, ...given });
  const wanted = { ...current, ...said, filters };
  return wanted.key === current.key
    ? wanted
    : { ...wanted, filters: renameEnrollment(filters, current.key, wanted.key) };
}

/** Enrollment is stored under the flag's key. */
function renameEnrollment(filters: FlagFilters, from: string, to: string): FlagFilters {
  if (!filters.super_groups) return filters;
  const property = `$feature_enrollment/${from}`;
  const super_groups = filters.super_groups.map((set) => ({
    ...set,
    properties: (set.properties ?? []).map((one) =>
      one.key === property ? { ...one, key: `$feature_enrollment/${to}` } : one,
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

/** Refuses conflicting changes, by upstream's rule: a field that was not read, or is left as it was read, is no conflict. */
async function refuseConflict(
  { users }: FlagBound,
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
  const by = await users.byIds([current.lastModifiedBy]);
  const name = by.values().next().value?.email ?? 'somebody else';
  throw new Conflict(
    `The feature flag was updated by ${name} since you started editing it. Please refresh and try again.`,
  );
}

async function checkChange(
  stores: FlagBound,
  { current, after, viewer }: { current: FeatureFlag; after: FlagFields; viewer: Viewer | undefined },
  wanted: Partial<FlagFields>,
): Promise<void> {
  const { id, projectId } = current;
  checkTogether(after, current);
  if (wanted.deleted) {
    await checkUnused(stores, current);
    return checkDispensable(stores, current, 'delete', viewer);
  }
  if (wanted.key !== undefined || wanted.deleted === false) {
    checkKey(after.key);
    await checkKeyIsFree(stores, projectId, after.key, id);
  }
  if (wanted.active === false) await checkDispensable(stores, current, 'disable', viewer);
  const comesBack = after.active && (wanted.active === true || wanted.deleted === false);
  await checkUndisturbed(stores, current, after);
  if (wanted.filters) {
    await checkStaysPersonal(stores, current, wanted.filters);
    await checkVariantsUnneeded(stores, current, wanted.filters, viewer);
  }
  if (wanted.filters || comesBack) {
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

async function checkKeyIsFree({ flags }: FlagBound, projectId: number, key: string, own?: number): Promise<void> {
  const other = await flags.findByKey(projectId, key);
  if (other && other.id !== own) {
    throw new InvalidInput('There is already a feature flag with this key.', 'key', 'unique');
  }
}

function verbOf({ deleted }: Partial<FlagFields>) {
  if (deleted === undefined) return 'updated';
  return deleted ? 'deleted' : 'restored';
}

/** A public payload may have become a secret, so both sides are masked if one is. */
function changesOf(before: FeatureFlag, after: FeatureFlag): Change[] {
  const masked = before.hasEncryptedPayloads || after.hasEncryptedPayloads;
  const changes = changesBetween(SCOPE, fieldsOf(before, masked), fieldsOf(after, masked));
  if (before.encryptedPayloads === after.encryptedPayloads) return changes;
  return [...changes, { type: SCOPE, action: 'changed', field: COLUMN.encryptedPayloads, before: MASK, after: MASK }];
}

async function record(
  { auditLog }: FlagBound,
  project: Project,
  author: Author,
  verb: 'created' | 'updated' | 'deleted' | 'restored',
  flag: FeatureFlag,
  changes: Change[],
): Promise<void> {
  const { id, key, version } = flag;
  await auditLog.record({ project, author, scope: SCOPE, itemId: id, activity: verb, name: key, version, changes });
}
