/** Manages early access features. Each has a flag, and its stage decides whether persons can turn the flag on by enrolling. */
import { randomUUID } from 'node:crypto';
import { InvalidInput } from '../../../platform/errors.ts';
import type { Project } from '../../../platform/http/access.ts';
import { changeFlag, createFlag, ensureMayEdit, type EntitledAuthor } from '../../feature-flags.ts';
import type { FeatureFlag } from '../../feature-flags/feature-flags.store.ts';
import { MATCH_EVERYBODY, type FlagFilters } from '../../feature-flags/filters.ts';
import { slugOf } from '../../slug.ts';
import type { BoundFlagStores, FlagStores } from '../../stores.ts';
import { isReleased, checkCanEnroll, withEnrollment, type Stage } from './enrollment.ts';
import type { EarlyAccessFeature } from './features.store.ts';

const SCOPE = 'EarlyAccessFeature';

type Fields = Pick<EarlyAccessFeature, 'name' | 'description' | 'stage' | 'documentationUrl' | 'payload'>;
/** @param flagId absent: a new flag is created */
export type NewFeature = Fields & { flagId?: number | undefined };
export type FeatureChanges = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** A feature and its flag. */
export type ShownFeature = EarlyAccessFeature & { flag: FeatureFlag };

type ChangeContext = { stores: BoundFlagStores; project: Project; author: EntitledAuthor };

/** Filters of a flag that only enrolled persons get. */
const MATCH_NOBODY: FlagFilters = { ...MATCH_EVERYBODY, groups: [{ properties: [], rollout_percentage: 0 }] };

export function earlyAccessFeatures(all: FlagStores) {
  const runChange = <T>(
    project: Project,
    author: EntitledAuthor,
    work: (change: ChangeContext) => Promise<T>,
  ): Promise<T> => all.inTransaction(project.id, (stores) => work({ stores, project, author }));

  return {
    async list(projectId: number, page: { limit: number; offset: number }) {
      const { count, results } = await all.earlyAccess.list(projectId, page);
      const flags = await all.flags.findByIds(
        projectId,
        results.map(({ flagId }) => flagId),
      );
      const byId = new Map(flags.map((flag) => [flag.id, flag]));
      return {
        count,
        results: results.map((feature): ShownFeature => ({ ...feature, flag: byId.get(feature.flagId)! })),
      };
    },

    /** @throws NotFound */
    async get(projectId: number, id: string): Promise<ShownFeature> {
      return withFlag(all, await all.earlyAccess.get(projectId, id));
    },

    /** @throws InvalidInput naming the field */
    async create(project: Project, author: EntitledAuthor, { flagId, ...fields }: NewFeature): Promise<ShownFeature> {
      return runChange(project, author, async (change) => {
        const { stores } = change;
        const flag = flagId === undefined ? await makeFlag(change, fields) : await getLinkableFlag(change, flagId);
        const ids = { id: randomUUID(), projectId: project.id, flagId: flag.id, createdBy: author.userId };
        const feature = await stores.earlyAccess.insert({ ...fields, ...ids });
        if (isReleased(fields.stage)) await setEnrollment(change, flag, true);
        await recordChange(change, 'created', feature);
        return withFlag(stores, feature);
      });
    },

    /** Omitted fields keep their values. @throws InvalidInput naming the field; NotFound */
    async change(project: Project, author: EntitledAuthor, id: string, changes: FeatureChanges): Promise<ShownFeature> {
      return runChange(project, author, async (change) => {
        const { stores } = change;
        const before = await stores.earlyAccess.get(project.id, id);
        const given = Object.entries(changes).filter(([, value]) => value !== undefined);
        const after: EarlyAccessFeature = { ...before, ...Object.fromEntries(given) };
        await stores.earlyAccess.update(after);
        const { flag } = await withFlag(stores, before);
        // Persons see the stage as a part of the flag, so changing it takes rights to the flag even if the flag's filters stay the same.
        if (after.stage !== before.stage) ensureMayEdit(author, flag);
        const released = isReleased(after.stage);
        if (released !== isReleased(before.stage)) await setEnrollment(change, flag, released);
        await recordChange(change, 'updated', after, before);
        return withFlag(stores, after);
      });
    },

    /** Deletes the feature, and keeps its flag without enrollment. @throws NotFound */
    async delete(project: Project, author: EntitledAuthor, id: string): Promise<void> {
      await runChange(project, author, async (change) => {
        const feature = await change.stores.earlyAccess.get(project.id, id);
        const { flag } = await withFlag(change.stores, feature);
        await change.stores.earlyAccess.delete(project.id, id);
        if (isReleased(feature.stage)) await setEnrollment(change, flag, false);
        await recordChange(change, 'deleted', feature);
      });
    },
  };
}

export type EarlyAccessFeatures = ReturnType<typeof earlyAccessFeatures>;

async function withFlag({ flags }: Pick<BoundFlagStores, 'flags'>, feature: EarlyAccessFeature): Promise<ShownFeature> {
  return { ...feature, flag: await flags.get(feature.projectId, feature.flagId) };
}

async function makeFlag({ stores, project, author }: ChangeContext, { name, stage }: Fields): Promise<FeatureFlag> {
  const key = slugOf(name).slice(0, 400) || `feature-${randomUUID().slice(0, 8)}`;
  try {
    return await createFlag(stores, project, author, {
      key,
      name: `Feature Flag for Feature ${name}`,
      filters: withEnrollment(MATCH_NOBODY, isReleased(stage)),
    });
  } catch (error) {
    if (!(error instanceof InvalidInput) || error.attr !== 'key') throw error;
    // Blames the field `name`, because the key is derived from it.
    throw new InvalidInput(`${error.message} (${key})`, 'name', error.code);
  }
}

/** Finds an existing flag for a new feature. @throws InvalidInput if persons cannot enroll in it */
async function getLinkableFlag({ stores, project, author }: ChangeContext, flagId: number): Promise<FeatureFlag> {
  const [flag] = await stores.flags.findByIds(project.id, [flagId]);
  if (!flag) throw new InvalidInput('Feature Flag with this ID does not exist', 'feature_flag_id');
  ensureMayEdit(author, flag);
  if ((await stores.earlyAccess.findNameByFlag(project.id, flagId)) !== undefined) {
    throw new InvalidInput(`Linked feature flag ${flag.key} already has a feature attached to it.`, 'feature_flag_id');
  }
  checkCanEnroll(flag.filters);
  return flag;
}

async function setEnrollment(
  { stores, project, author }: ChangeContext,
  flag: FeatureFlag,
  released: boolean,
): Promise<void> {
  await changeFlag(stores, project, author, flag.id, { filters: withEnrollment(flag.filters, released) });
}

async function recordChange(
  { stores, project, author }: ChangeContext,
  activity: 'created' | 'updated' | 'deleted',
  feature: EarlyAccessFeature,
  before?: EarlyAccessFeature,
): Promise<void> {
  const entry = { project, author, scope: SCOPE, itemId: feature.id, activity, name: feature.name };
  await stores.auditLog.recordChange(entry, before && loggedFieldsOf(before), loggedFieldsOf(feature));
}

function loggedFieldsOf({
  name,
  description,
  stage,
  documentationUrl,
  payload,
}: EarlyAccessFeature): Record<string, unknown> {
  const logged: { stage: Stage; [field: string]: unknown } = { name, description, stage, payload };
  return { ...logged, documentation_url: documentationUrl };
}
