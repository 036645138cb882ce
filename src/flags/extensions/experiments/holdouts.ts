/** Creates and changes holdouts: shares of all persons that are excluded from experiments. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Project } from '../../../platform/http/access.ts';
import type { Author } from '../../../people/audit/audit-log.ts';
import { type AuditVerb } from '../../../people/audit/entry.ts';
import type { Users } from '../../../people/accounts/users.store.ts';
import { changeFlag, type EntitledAuthor } from '../../feature-flags.ts';
import type { BoundFlagStores, FlagStores } from '../../stores.ts';
import { changeOfFilters } from './experiment-flag.ts';
import type { Holdout, HoldoutFields } from './holdouts.store.ts';
import { withHoldout } from './variants.ts';

export type HoldoutWithUsers = { holdout: Holdout; users: Users };

const SCOPE = 'ExperimentHoldout';

export function experimentHoldouts({ stores }: { stores: FlagStores }) {
  const withUsers = async (holdout: Holdout): Promise<HoldoutWithUsers> => {
    return { holdout, users: await stores.users.findByIds([holdout.created_by]) };
  };

  return {
    /** @throws NotFound */
    get: async (projectId: number, id: number) => withUsers(await stores.holdouts.get(projectId, id)),

    /** Lists the newest first. */
    async list(projectId: number, page: { limit: number; offset: number }) {
      const { count, results } = await stores.holdouts.list(projectId, page);
      const users = await stores.users.findByIds(results.map(({ created_by: id }) => id));
      return { count, results: results.map((holdout) => ({ holdout, users })) };
    },

    async create(project: Project, author: Author, fields: HoldoutFields): Promise<HoldoutWithUsers> {
      const holdout = await stores.inTransaction(project.id, async (tx) => {
        const created = await tx.holdouts.insert(project.id, author.userId, fields);
        await recordChange(tx, project, author, 'created', created);
        return created;
      });
      return withUsers(holdout);
    },

    /** Changes the holdout, and the flags of its experiments. @throws NotFound */
    async change(
      project: Project,
      author: EntitledAuthor,
      id: number,
      changes: Partial<HoldoutFields>,
    ): Promise<HoldoutWithUsers> {
      const holdout = await stores.inTransaction(project.id, async (tx) => {
        const before = await tx.holdouts.get(project.id, id);
        const after = await tx.holdouts.update(id, changes);
        await updateFlags(tx, project, author, after);
        await recordChange(tx, project, author, 'updated', after, before);
        return after;
      });
      return withUsers(holdout);
    },

    /** @throws InvalidInput naming the experiments that use the holdout; NotFound */
    async delete(project: Project, author: Author, id: number): Promise<void> {
      await stores.inTransaction(project.id, async (tx) => {
        const holdout = await tx.holdouts.get(project.id, id);
        const dependents = await tx.experiments.listByHoldout(project.id, id);
        if (dependents.length > 0) {
          const names = dependents.map(({ name, id: experiment }) => `${name} (ID: ${experiment})`);
          throw new InvalidInput(`Cannot delete a holdout that experiments use: ${names.join(', ')}.`);
        }
        await tx.holdouts.delete(id);
        await recordChange(tx, project, author, 'deleted', holdout);
      });
    },
  };
}

export type ExperimentHoldouts = ReturnType<typeof experimentHoldouts>;

async function updateFlags(
  tx: BoundFlagStores,
  project: Project,
  author: EntitledAuthor,
  holdout: Holdout,
): Promise<void> {
  for (const { flag_id } of await tx.experiments.listByHoldout(project.id, holdout.id)) {
    const flag = await tx.flags.get(project.id, flag_id);
    const filters = changeOfFilters(flag, withHoldout(flag.filters, holdout));
    await changeFlag(tx, project, author, flag_id, filters);
  }
}

async function recordChange(
  { auditLog }: BoundFlagStores,
  project: Project,
  author: Author,
  verb: AuditVerb,
  after: Holdout,
  before?: Holdout,
): Promise<void> {
  const entry = { project, author, scope: SCOPE, itemId: after.id, activity: verb, name: after.name };
  await auditLog.recordChange(entry, before && loggedFieldsOf(before), loggedFieldsOf(after));
}

function loggedFieldsOf({ name, description, exclusion_percentage }: Holdout): HoldoutFields {
  return { name, description, exclusion_percentage };
}
