/** Creates and changes experiments, each in one transaction with its flag. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Project } from '../../../platform/http/access.ts';
import type { Author } from '../../../people/audit/audit-log.ts';
import { type AuditVerb } from '../../../people/audit/entry.ts';
import { changeFlag, type EntitledAuthor } from '../../feature-flags.ts';
import type { BoundFlagStores, FlagStores } from '../../stores.ts';
import { checkPhases, parseExperimentBody } from './experiment-fields.ts';
import {
  filtersAfterChange,
  createOrAdoptFlag,
  getHoldout,
  withExperimentErrors,
  changedFilters,
  checkEligible,
  checkNoOtherOpenExperiment,
} from './experiment-flag.ts';
import type { Experiment, ExperimentQuery } from './experiments.store.ts';
import { isOpen } from './phases.ts';
import type { LinkedExperiment } from './present.ts';
import { ensureMayMeasure } from './results/raw-data.ts';
import type { ExperimentPatchBody, NewExperimentBody } from './schema.ts';

const SCOPE = 'Experiment';

const DEFAULTS = {
  description: '',
  holdout_id: null,
  start_date: null,
  end_date: null,
  parameters: {},
  filters: {},
  metrics: [],
  metrics_secondary: [],
  exposure_criteria: {},
  archived: false,
};

export function experiments({ stores }: { stores: FlagStores }) {
  return {
    /** @throws NotFound */
    async get(projectId: number, id: number): Promise<LinkedExperiment> {
      const [linked] = await linkExperiments(stores, projectId, [await stores.experiments.get(projectId, id)]);
      return linked!;
    },

    /** Lists the newest first. */
    async list(projectId: number, query: ExperimentQuery): Promise<{ count: number; results: LinkedExperiment[] }> {
      const { count, results } = await stores.experiments.list(projectId, query);
      return { count, results: await linkExperiments(stores, projectId, results) };
    },

    /** @throws InvalidInput naming the field */
    async create(project: Project, author: EntitledAuthor, body: NewExperimentBody): Promise<LinkedExperiment> {
      const { fields, arrangement } = parseExperimentBody(body);
      const wanted = { ...DEFAULTS, ...fields, name: body.name, type: body.type ?? ('product' as const) };
      checkPhases(undefined, wanted);
      ensureMayMeasure(author, [...wanted.metrics, ...wanted.metrics_secondary]);
      return stores.inTransaction(project.id, async (bound) => {
        const holdout = await getHoldout(bound, project.id, wanted.holdout_id);
        const flag = await createOrAdoptFlag(bound, project, author, {
          ...wanted,
          key: body.feature_flag_key,
          arrangement,
          holdout,
        });
        const experiment = await bound.experiments.insert(project.id, author.userId, { ...wanted, flag_id: flag.id });
        await recordChange(bound, project, author, 'created', experiment);
        return (await linkExperiments(bound, project.id, [experiment]))[0]!;
      });
    },

    /** @throws InvalidInput naming the field; NotFound */
    async change(
      project: Project,
      author: EntitledAuthor,
      id: number,
      body: ExperimentPatchBody,
    ): Promise<LinkedExperiment> {
      const { fields, arrangement } = parseExperimentBody(body);
      return stores.inTransaction(project.id, async (bound) => {
        const current = await bound.experiments.get(project.id, id);
        const flag = await bound.flags.get(project.id, current.flag_id);
        if (body.feature_flag_key !== undefined && body.feature_flag_key !== flag.key) {
          throw new InvalidInput("Can't update keys: feature_flag_key on Experiment", 'feature_flag_key');
        }
        const wanted = { ...fields, ...(body.deleted && { deleted: true, holdout_id: null }) };
        checkPhases(current, { ...current, ...wanted });
        const stored = [...current.metrics, ...current.metrics_secondary];
        ensureMayMeasure(author, [...(fields.metrics ?? []), ...(fields.metrics_secondary ?? [])], stored);
        const filters = await filtersAfterChange(bound, current, flag, { wanted, arrangement });
        if (isOpen({ ...current, ...wanted }) && !isOpen(current)) {
          await checkNoOtherOpenExperiment(bound, flag, current);
          checkEligible({ ...flag, filters });
        }
        const isLaunch = current.start_date === null && Boolean(wanted.start_date);
        const changes = { ...changedFilters(flag, filters), ...(isLaunch && { active: true }) };
        await withExperimentErrors(changeFlag(bound, project, author, flag.id, changes));
        const after = await bound.experiments.update(id, wanted);
        await recordChange(bound, project, author, body.deleted ? 'deleted' : 'updated', after, current);
        return (await linkExperiments(bound, project.id, [after]))[0]!;
      });
    },
  };
}

export type Experiments = ReturnType<typeof experiments>;

async function linkExperiments(
  bound: BoundFlagStores,
  projectId: number,
  found: readonly Experiment[],
): Promise<LinkedExperiment[]> {
  // Includes deleted flags, because only running experiments prevent the deletion of their flags.
  const flags = await bound.flags.findByIdsWithDeleted(
    projectId,
    found.map(({ flag_id }) => flag_id),
  );
  const byId = new Map(flags.map((flag) => [flag.id, flag]));
  const holdouts = await bound.holdouts.findByIds(
    projectId,
    found.flatMap(({ holdout_id: id }) => (id === null ? [] : [id])),
  );
  const users = await bound.users.findByIds([...found, ...holdouts.values()].map(({ created_by: id }) => id));
  return found.map((experiment) => ({
    experiment,
    flag: byId.get(experiment.flag_id)!,
    holdout: experiment.holdout_id === null ? undefined : holdouts.get(experiment.holdout_id),
    users,
  }));
}

async function recordChange(
  { auditLog }: BoundFlagStores,
  project: Project,
  author: Author,
  verb: AuditVerb,
  experiment: Experiment,
  before?: Experiment,
): Promise<void> {
  const entry = { project, author, scope: SCOPE, itemId: experiment.id, activity: verb, name: experiment.name };
  await auditLog.recordChange(entry, before && loggedFieldsOf(before), loggedFieldsOf(experiment));
}

/** The fields that can change, for the audit log. */
function loggedFieldsOf(experiment: Experiment): Partial<Experiment> {
  const { id: _id, project_id: _project, created_by: _by, created_at: _made, updated_at: _at, ...fields } = experiment;
  return fields;
}
