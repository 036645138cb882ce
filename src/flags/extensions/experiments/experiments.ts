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
  changeOfFilters,
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
      const newFields = { ...DEFAULTS, ...fields, name: body.name, type: body.type ?? ('product' as const) };
      checkPhases(undefined, newFields);
      ensureMayMeasure(author, [...newFields.metrics, ...newFields.metrics_secondary]);
      return stores.inTransaction(project.id, async (tx) => {
        const holdout = await getHoldout(tx, project.id, newFields.holdout_id);
        const flag = await createOrAdoptFlag(tx, project, author, {
          ...newFields,
          key: body.feature_flag_key,
          arrangement,
          holdout,
        });
        const experiment = await tx.experiments.insert(project.id, author.userId, { ...newFields, flag_id: flag.id });
        await recordChange(tx, project, author, 'created', experiment);
        return (await linkExperiments(tx, project.id, [experiment]))[0]!;
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
      return stores.inTransaction(project.id, async (tx) => {
        const current = await tx.experiments.get(project.id, id);
        const flag = await tx.flags.get(project.id, current.flag_id);
        if (body.feature_flag_key !== undefined && body.feature_flag_key !== flag.key) {
          throw new InvalidInput("Can't update keys: feature_flag_key on Experiment", 'feature_flag_key');
        }
        const change = { ...fields, ...(body.deleted && { deleted: true, holdout_id: null }) };
        checkPhases(current, { ...current, ...change });
        const stored = [...current.metrics, ...current.metrics_secondary];
        ensureMayMeasure(author, [...(fields.metrics ?? []), ...(fields.metrics_secondary ?? [])], stored);
        const filters = await filtersAfterChange(tx, current, flag, { wanted: change, arrangement });
        if (isOpen({ ...current, ...change }) && !isOpen(current)) {
          await checkNoOtherOpenExperiment(tx, flag, current);
          checkEligible({ ...flag, filters });
        }
        const isLaunch = current.start_date === null && Boolean(change.start_date);
        const changes = { ...changeOfFilters(flag, filters), ...(isLaunch && { active: true }) };
        await withExperimentErrors(changeFlag(tx, project, author, flag.id, changes));
        const after = await tx.experiments.update(id, change);
        await recordChange(tx, project, author, body.deleted ? 'deleted' : 'updated', after, current);
        return (await linkExperiments(tx, project.id, [after]))[0]!;
      });
    },
  };
}

export type Experiments = ReturnType<typeof experiments>;

async function linkExperiments(
  tx: BoundFlagStores,
  projectId: number,
  results: readonly Experiment[],
): Promise<LinkedExperiment[]> {
  // Includes deleted flags, because only running experiments prevent the deletion of their flags.
  const flags = await tx.flags.findByIdsWithDeleted(
    projectId,
    results.map(({ flag_id }) => flag_id),
  );
  const byId = new Map(flags.map((flag) => [flag.id, flag]));
  const holdouts = await tx.holdouts.findByIds(
    projectId,
    results.flatMap(({ holdout_id: id }) => (id === null ? [] : [id])),
  );
  const users = await tx.users.findByIds([...results, ...holdouts.values()].map(({ created_by: id }) => id));
  return results.map((experiment) => ({
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
