/** Changes that people make to persons and groups; each is recorded in the audit log in its own transaction. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Project, Visible } from '../../platform/http/access.ts';
import { changesBetween, type Author } from '../../people/audit/audit-log.ts';
import type { Erasure, ErasureSubject } from './erasures.store.ts';
import type { GroupTypeNames } from './group-types.store.ts';
import type { Group, GroupName } from './groups.store.ts';
import type { HandledRemainder } from './remainders.store.ts';
import type { PersonAndGroupStores } from './stores.ts';

/** The author of a change, and the project. */
type ChangeContext = { project: Project; by: Author };

export type PersonAndGroupChanges = ReturnType<typeof personAndGroupChanges>;

export function personAndGroupChanges({ inTransaction }: Pick<PersonAndGroupStores, 'inTransaction'>) {
  /** Changes one property of a group, and records its values before and after. */
  async function changeProperty(
    { project, by }: ChangeContext,
    name: GroupName,
    property: string,
    change: (stores: Parameters<Parameters<typeof inTransaction>[0]>[0]) => Promise<Group>,
  ): Promise<Group> {
    return inTransaction(async (stores) => {
      const before = await stores.groups.lock(name);
      const after = await change(stores);
      const changes = changesBetween('Group', pickProperty(before, property), pickProperty(after, property));
      await stores.auditLog.record({ project, author: by, ...groupNamed(name), activity: 'updated', changes });
      return after;
    });
  }

  return {
    /** @throws NotFound */
    async deletePerson({ project, by }: ChangeContext, id: string): Promise<void> {
      await inTransaction(async ({ persons, auditLog }) => {
        // Read first: an unknown person must not take the lock on all persons of the project.
        await persons.get(project.id, id);
        await persons.delete(project.id, [id]);
        // The entry does not name the person, because a deleted person must be forgotten.
        const entry = { scope: 'Person', itemId: id, name: 'person', activity: 'deleted' as const };
        await auditLog.record({ project, author: by, ...entry });
      });
    },

    /** @returns the number of persons deleted */
    async deletePersons(
      { project, by }: ChangeContext,
      selection: { ids: readonly string[] } | { distinctIds: readonly string[] },
    ): Promise<number> {
      return inTransaction(async ({ persons, auditLog }) => {
        const deleted =
          'ids' in selection
            ? await persons.delete(project.id, selection.ids)
            : await persons.deleteByDistinctIds(project.id, selection.distinctIds);
        const entry = { scope: 'Person', itemId: 'many', name: `${deleted} persons`, activity: 'deleted' as const };
        await auditLog.record({ project, author: by, ...entry });
        return deleted;
      });
    },

    /** Deletes persons together with their events. The entry of the log is made once for each erasure. @throws as ErasureStore.request */
    async erasePersons({ project, by }: ChangeContext, subject: ErasureSubject): Promise<Erasure> {
      return inTransaction(async ({ erasures, auditLog }) => {
        const { erasure, isNew } = await erasures.request(project.id, subject);
        if (!isNew) return erasure;
        const name = `${erasure.persons} persons and their events (erasure ${erasure.id})`;
        // The entry names the erasure and not the person, whose ids are forgotten.
        await auditLog.record({ project, author: by, scope: 'Person', itemId: erasure.id, name, activity: 'deleted' });
        return erasure;
      });
    },

    /** Records that somebody has removed what an erasure could not remove. @throws NotFound; InvalidInput when nothing remains there */
    async markHandled(
      { project, by }: ChangeContext,
      erasureId: string,
      remainder: HandledRemainder,
      visible: Visible,
    ): Promise<void> {
      await inTransaction(async ({ remainders, auditLog }) => {
        const count = await remainders.markHandled(project.id, erasureId, remainder, visible);
        const name = `${count} deliveries of batch export ${remainder.batchExportId} handled (erasure ${erasureId})`;
        await auditLog.record({ project, author: by, scope: 'Person', itemId: erasureId, name, activity: 'updated' });
      });
    },

    /** @throws InvalidInput when there is such a group, no such type, or the properties are too large */
    async createGroup(
      { project, by }: ChangeContext,
      name: GroupName,
      properties: Record<string, unknown>,
    ): Promise<Group> {
      return inTransaction(async ({ groups, groupTypes, auditLog }) => {
        const types = await groupTypes.list(project.id);
        if (!types.some(({ index }) => index === name.typeIndex)) {
          throw new InvalidInput('The project has no groups of this type.', 'group_type_index');
        }
        const group = await groups.create(name, properties);
        await auditLog.record({ project, author: by, ...groupNamed(name), activity: 'created' });
        return group;
      });
    },

    /** @throws NotFound; InvalidInput when its properties would be too large */
    setGroupProperty: (context: ChangeContext, name: GroupName, property: string, value: unknown): Promise<Group> =>
      changeProperty(context, name, property, ({ groups }) => groups.setProperty(name, property, value)),

    /** @throws NotFound */
    deleteGroupProperty: (context: ChangeContext, name: GroupName, property: string): Promise<Group> =>
      changeProperty(context, name, property, ({ groups }) => groups.deleteProperty(name, property)),

    /** @throws InvalidInput when the project has no groups of one of the types */
    async renameGroupTypes({ project, by }: ChangeContext, names: readonly GroupTypeNames[]): Promise<void> {
      await inTransaction(async ({ groupTypes, auditLog }) => {
        const before = await groupTypes.list(project.id);
        if (!(await groupTypes.rename(project.id, names))) {
          throw new InvalidInput('The project has no groups of one of these types.', 'group_type_index');
        }
        for (const after of await groupTypes.list(project.id)) {
          const former = before.find(({ index }) => index === after.index)!;
          const entry = { scope: 'GroupType', itemId: after.index, name: after.type, activity: 'updated' as const };
          await auditLog.recordChange({ project, author: by, ...entry }, namesOf(former), namesOf(after));
        }
      });
    },
  };
}

function pickProperty({ properties }: Group, property: string): Record<string, unknown> {
  return Object.hasOwn(properties, property) ? { [property]: properties[property] } : {};
}

function groupNamed({ typeIndex, key }: GroupName) {
  return { scope: 'Group', itemId: `${typeIndex}:${key}`, name: key };
}

function namesOf(type: { nameSingular: string | null; namePlural: string | null }) {
  return { name_singular: type.nameSingular, name_plural: type.namePlural };
}
