/** Explains a flag's value for one person by its condition sets, without storing, counting or capturing anything. */
import { InvalidInput, NotFound, PermissionDenied } from '../../../platform/errors.ts';
import { reaches, type Caller, type Project, type Rights } from '../../../platform/http/access.ts';
import { allows } from '../../../people/access/scopes.ts';
import { ensureRaw, rawAccess } from '../../../people/access/raw-data.ts';
import type { Json, Properties } from '../../../conditions/operators/json-values.ts';
import type { Decider } from '../../decide/decider.ts';
import type { LiveDefinitions } from '../../definitions/live-definitions.ts';
import { compileDefinitions } from '../../evaluation/compile.ts';
import type { Decision, SetTrace, Trace } from '../../evaluation/decision.ts';
import type { FlagDefinition } from '../../evaluation/definitions.ts';
import type { FlagStores } from '../../stores.ts';
import { validateFilters } from '../checks/check-filters.ts';
import { checkReferences } from '../checks/check-references.ts';
import type { FeatureFlag } from '../feature-flags.store.ts';
import type { FlagFilters } from '../filters.ts';
import { maySeeFlag } from '../linked.ts';

export type FlagEvaluationOptions = {
  stores: FlagStores;
  definitions: Pick<LiveDefinitions, 'findById'>;
  decider: Decider;
};

type Viewer = { caller: Pick<Caller, 'scopes'>; rights: Pick<Rights, 'levelOf'> };

/** The person and groups to evaluate the flag for. Without a distinct id, only the properties given here apply. */
export type Subject = {
  distinctId: string | undefined;
  personProperties: Properties;
  groups: Readonly<Record<string, string>>;
  groupProperties: Readonly<Record<string, Properties>>;
};

export type FlagExplanation = {
  flag: FeatureFlag;
  decision: Decision;
  /** One trace per condition set; null if the set was not reached. */
  sets: readonly (SetTrace | null)[];
};

export function flagEvaluation({ stores, definitions, decider }: FlagEvaluationOptions) {
  /** Finds a flag by its id or its key. */
  async function findFlag(projectId: number, name: number | string): Promise<FeatureFlag | undefined> {
    if (typeof name === 'string') return stores.flags.findByKey(projectId, name);
    return (await stores.flags.findByIds(projectId, [name]))[0];
  }

  async function validateDraft(
    projectId: number,
    { id, key }: FeatureFlag,
    draft: unknown,
    rights: Pick<Rights, 'levelOf'>,
  ): Promise<FlagFilters> {
    const filters = validateFilters(draft);
    await checkReferences(stores, projectId, { id, key, filters }, rights);
    return filters;
  }

  return {
    /**
     * @param draft filters to evaluate in place of the stored ones
     * @throws NotFound, PermissionDenied if the caller may not read the flag, the person or the groups
     * @throws InvalidInput naming the field of `filters`
     */
    async explain(
      project: Project,
      name: number | string,
      { distinctId, ...given }: Subject,
      draft: unknown,
      viewer: Viewer,
    ): Promise<FlagExplanation> {
      const flag = await findFlag(project.id, name);
      if (!flag || flag.deleted) throw new NotFound();
      if (!maySeeFlag(viewer.rights, flag)) {
        throw new PermissionDenied('You do not have viewer access to this resource.');
      }
      // Callers who choose the conditions can find out stored properties of a person by trial.
      // tooth: raw-evaluate
      if (distinctId !== undefined) ensureRaw(rawAccess(viewer), ['person']);
      // tooth: group-evaluate
      if (Object.keys(given.groups).length > 0) ensureGroups(viewer);
      const filters = draft === undefined ? flag.filters : await validateDraft(project.id, flag, draft, viewer.rights);
      // The project exists, because the gatekeeper has found it.
      const live = (await definitions.findById(project.id))!;
      const flags = [...live.definitions.flags.filter(({ id }) => id !== flag.id), definitionOf(flag, filters)];
      const changed = { ...live.definitions, flags };
      const trace: Trace = { key: flag.key, sets: [] };
      const { decisions } = await decider.decide(
        { projectId: project.id, definitions: changed, compiled: compileDefinitions(changed) },
        {
          ...given,
          // No person has an empty id.
          distinctId: distinctId ?? '',
          runtime: 'all',
          contexts: [],
          flagKeys: new Set([flag.key]),
          onlySurveys: false,
          onlyRequestProperties: false,
          trace,
        },
      );
      const [decision] = decisions;
      if (!decision) throw new InvalidInput('The flag cannot be evaluated.', 'flag');
      const sets = filters.groups.map((_, index) => trace.sets.find((set) => set.index === index) ?? null);
      return { flag, decision, sets };
    },
  };
}

/** @throws PermissionDenied for callers who may not read the stored properties of groups */
function ensureGroups({ caller, rights }: Viewer): void {
  if (!allows(caller.scopes, 'group:read')) throw new PermissionDenied("API key missing required scope 'group:read'");
  if (!reaches(rights.levelOf('group'), 'viewer'))
    throw new PermissionDenied('You do not have viewer access to groups.');
}

/** Definition of the flag as if it were active. */
function definitionOf(flag: FeatureFlag, filters: FlagFilters): FlagDefinition {
  return {
    id: flag.id,
    key: flag.key,
    version: flag.version,
    active: true,
    filters: filters as unknown as Json,
    ensureExperienceContinuity: flag.ensureExperienceContinuity,
    evaluationRuntime: flag.evaluationRuntime,
    bucketingIdentifier: flag.bucketingIdentifier,
    evaluationContexts: [],
    hasExperiment: false,
  };
}

export type FlagEvaluation = ReturnType<typeof flagEvaluation>;
