/** Creates and changes cohorts, and refuses to delete those in use. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../platform/errors.ts';
import type { Project } from '../../platform/http/access.ts';
import { changesBetween, type Author } from '../../people/audit/audit-log.ts';
import { type Change } from '../../people/audit/entry.ts';
import { ensureRaw, rawAccessByLevel } from '../../people/access/raw-data.ts';
import type { VisibleAuditLog } from '../../people/audit/visible-audit-log.ts';
import type { EntitledAuthor } from '../feature-flags.ts';
import type { BoundFlagStores, FlagStores } from '../stores.ts';
import { checkCohortReferences } from './check-use.ts';
import type { Cohort, CohortFields } from './cohorts.store.ts';
import { COUNT_MS } from './counting.ts';
import { readsPersonProperties, parseCohortFilters, hasConditions, type CohortFilters } from './filters.ts';
import { addPersonsInBatches, type ListedPersons } from './listed-persons.ts';
import type { NamedIds } from './read-ids.ts';

/** Unchecked fields of a cohort from a client. */
type GivenCohort = { name: string; description: string; isStatic: boolean; filters?: unknown };

export type CohortChanges = {
  [Name in keyof GivenCohort]?: GivenCohort[Name] | undefined;
} & { deleted?: boolean | undefined };

/** A cohort, and the outcome for the ids in the request. */
export type ChangedCohort = { cohort: Cohort; listed?: ListedPersons };

const SCOPE = 'Cohort';

/** @param count counts a cohort's persons and stores the count: see `counting.ts` */
export function cohorts({ stores: all, count }: { stores: FlagStores; count: (cohort: Cohort) => Promise<void> }) {
  async function withCount(cohort: Cohort): Promise<Cohort> {
    if (cohort.deleted) return cohort;
    await count(cohort);
    return all.cohorts.get(cohort.projectId, cohort.id);
  }

  /** Adds persons in small transactions, each with its audit log entry, because each one blocks merges during ingestion. */
  async function addListedPersons(
    project: Project,
    author: Author,
    cohort: Cohort,
    ids: NamedIds,
  ): Promise<ChangedCohort> {
    const add = (someIds: NamedIds) =>
      all.inTransaction(project.id, async (stores) => {
        const added = await stores.listedPersons.add(project.id, cohort.id, someIds);
        if (added.added === 0) return added;
        const after = await stores.cohorts.update(cohort.id, {});
        const changes = [personsChange(null, { added: added.added })];
        await recordChange(stores, project, author, { verb: 'updated', cohort: after, changes });
        return added;
      });
    const listed = await addPersonsInBatches(ids, add);
    const changed = await all.inTransaction(project.id, async (stores) => {
      await stores.cohorts.startCount(cohort.id, COUNT_MS);
      return stores.cohorts.get(project.id, cohort.id);
    });
    return { cohort: await withCount(changed), listed };
  }

  /** @throws InvalidInput, NotFound */
  async function getStatic(projectId: number, id: number): Promise<Cohort> {
    const cohort = await all.cohorts.get(projectId, id);
    if (!cohort.isStatic) throw new InvalidInput('Persons can only be added to and removed from static cohorts.');
    return cohort;
  }

  return {
    list: all.cohorts.list,
    get: all.cohorts.get,
    users: all.users.findByIds,

    /** Changes of a cohort with their authors, newest first. @throws NotFound */
    async activity(
      projectId: number,
      id: number,
      page: { limit: number; offset: number },
      visibleEntries: VisibleAuditLog[],
    ) {
      await all.cohorts.get(projectId, id);
      return all.auditLog.list(projectId, { scope: SCOPE, itemId: id, visibleKinds: visibleEntries }, page);
    },

    /** @param ids of the persons that a static cohort lists @throws InvalidInput naming the field; PermissionDenied as `ensureMayCount` */
    async create(project: Project, author: EntitledAuthor, input: GivenCohort, ids?: NamedIds): Promise<ChangedCohort> {
      if (ids) requireStatic(input);
      const fields = { ...input, filters: filtersOf(input, input.filters), deleted: false };
      ensureMayCount(author, fields);
      const created = await all.inTransaction(project.id, async (stores) => {
        await checkCohortReferences(stores, project.id, fields);
        const cohort = await stores.cohorts.insert(project.id, author.userId, fields);
        await stores.cohorts.startCount(cohort.id, COUNT_MS);
        await recordChange(stores, project, author, { verb: 'created', cohort, changes: [] });
        return cohort;
      });
      return ids ? addListedPersons(project, author, created, ids) : { cohort: await withCount(created) };
    },

    /** Omitted fields keep their values. @throws InvalidInput naming the field; NotFound; PermissionDenied as `ensureMayCount` */
    async change(
      project: Project,
      author: EntitledAuthor,
      id: number,
      changes: CohortChanges,
      ids?: NamedIds,
    ): Promise<ChangedCohort> {
      const changed = await all.inTransaction(project.id, async (stores) => {
        const current = await stores.cohorts.get(project.id, id);
        if (ids) requireStatic(current);
        const changedFields = differences(current, changes);
        if (Object.keys(changedFields).length === 0) return current;
        if (changedFields.filters) ensureMayCount(author, { ...current, ...changedFields });
        await checkCohortReferences(
          stores,
          project.id,
          { ...current, ...changedFields },
          { current, rights: author.rights },
        );
        const after = await stores.cohorts.update(id, changedFields);
        await stores.cohorts.startCount(id, COUNT_MS);
        const entry: Entry = {
          verb: verbOf(changedFields),
          cohort: after,
          changes: changesBetween(SCOPE, loggedFieldsOf(current), loggedFieldsOf(after)),
        };
        await recordChange(stores, project, author, entry);
        return after;
      });
      return ids ? addListedPersons(project, author, changed, ids) : { cohort: await withCount(changed) };
    },

    /** @throws InvalidInput when none of the persons exists, or the cohort is not static; NotFound */
    async addPersons(
      project: Project,
      author: Author,
      id: number,
      personIds: readonly string[],
    ): Promise<ListedPersons> {
      const cohort = await getStatic(project.id, id);
      const { listed } = await addListedPersons(project, author, cohort, {
        kind: 'person_id',
        ids: [...new Set(personIds)],
      });
      if (listed?.unknownCount === new Set(personIds).size) {
        throw new InvalidInput('There are no such persons.', 'person_ids');
      }
      return listed!;
    },

    /** @returns whether the person was in the cohort @throws InvalidInput when the cohort is not static; NotFound */
    async removePerson(project: Project, author: Author, id: number, personId: string): Promise<boolean> {
      const cohort = await getStatic(project.id, id);
      const changed = await all.inTransaction(project.id, async (stores) => {
        if (!(await stores.listedPersons.remove(project.id, cohort.id, personId))) return undefined;
        const after = await stores.cohorts.update(id, {});
        await stores.cohorts.startCount(id, COUNT_MS);
        const change = personsChange({ removed: personId }, null);
        await recordChange(stores, project, author, { verb: 'updated', cohort: after, changes: [change] });
        return after;
      });
      if (changed) await withCount(changed);
      return changed !== undefined;
    },
  };
}

export type Cohorts = ReturnType<typeof cohorts>;

/** Counting needs the right to see the data, because a cohort's count reveals some of it. @throws PermissionDenied */
function ensureMayCount(
  { rights }: EntitledAuthor,
  { isStatic, filters }: Pick<CohortFields, 'isStatic' | 'filters'>,
): void {
  // tooth: raw-cohorts
  if (!isStatic && readsPersonProperties(filters as CohortFilters)) ensureRaw(rawAccessByLevel(rights), ['person']);
}

function requireStatic({ isStatic }: Pick<Cohort, 'isStatic'>): void {
  if (!isStatic) throw new InvalidInput('Only static cohorts list their persons.', 'is_static');
}

/** Returns no filters for a static cohort; clients may send empty ones for it. */
function filtersOf({ isStatic }: Pick<Cohort, 'isStatic'>, value: unknown): Cohort['filters'] {
  if (!isStatic) return parseCohortFilters(value ?? {});
  if (hasConditions(value)) {
    throw new InvalidInput('A static cohort lists its persons, it has no filters.', 'filters');
  }
  return {};
}

function differences(current: Cohort, { filters, ...otherFields }: CohortChanges): Partial<CohortFields> {
  if (otherFields.isStatic !== undefined && otherFields.isStatic !== current.isStatic) {
    throw new InvalidInput('A cohort stays static or dynamic for good.', 'is_static');
  }
  const changedFields = { ...otherFields, ...(filters !== undefined && { filters: filtersOf(current, filters) }) };
  return Object.fromEntries(
    Object.entries(changedFields).filter(([name, value]) => {
      return value !== undefined && !isDeepStrictEqual(value, current[name as keyof CohortFields]);
    }),
  );
}

function verbOf({ deleted }: Partial<CohortFields>) {
  if (deleted === undefined) return 'updated';
  return deleted ? 'deleted' : 'restored';
}

type Entry = { verb: 'created' | 'updated' | 'deleted' | 'restored'; cohort: Cohort; changes: readonly Change[] };

async function recordChange(
  { auditLog }: BoundFlagStores,
  project: Project,
  author: Author,
  { verb, cohort, changes }: Entry,
): Promise<void> {
  const { id, name, version } = cohort;
  await auditLog.record({ project, author, scope: SCOPE, itemId: id, activity: verb, name, version, changes });
}

function loggedFieldsOf({ name, description, filters, deleted }: Cohort): Record<string, unknown> {
  return { name, description, filters, deleted };
}

function personsChange(before: object | null, after: object | null): Change {
  return { type: SCOPE, action: 'changed', field: 'persons', before, after };
}
