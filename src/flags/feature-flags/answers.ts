/** Evaluates a project's flags for one person, and counts the persons that a condition set matches. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Project, Rights } from '../../platform/http/access.ts';
import { ensureRaw, rawAccessByLevel } from '../../people/access/raw-data.ts';
import type { Decider } from '../decide/decider.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { Decision } from '../evaluation/decision.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import type { Counts } from '../matching/counts.ts';
import type { FlagStores } from '../stores.ts';
import { validateFilters } from './checks/check-filters.ts';
import { checkReferences } from './checks/check-references.ts';
import type { ConditionSet, Property } from './filters.ts';

export type FlagAnswersOptions = {
  stores: FlagStores;
  definitions: Pick<LiveDefinitions, 'findById'>;
  decider: Decider;
  counts: Counts;
};

export type Groups = Readonly<Record<string, string>>;

export function flagAnswers({ stores, definitions, decider, counts }: FlagAnswersOptions) {
  return {
    /** Decides all flags for one person, in any runtime and context, and returns the keys of all flags. */
    async decideAll(
      projectId: number,
      distinctId: string,
      groups: Groups,
    ): Promise<{ keys: string[]; decisions: ReadonlyMap<string, Decision> }> {
      // The project exists, because the gatekeeper has found it.
      const project = (await definitions.findById(projectId))!;
      const { decisions } = await decider.decide(project, {
        distinctId,
        groups,
        personProperties: {},
        groupProperties: {},
        runtime: 'all',
        contexts: [],
        onlySurveys: false,
        onlyRequestProperties: false,
      });
      return {
        keys: project.definitions.flags.map(({ key }) => key),
        decisions: new Map(decisions.map((decision) => [decision.key, decision])),
      };
    },

    /** Finds the distinct id that identifies the user as a person. */
    async distinctIdOf(userId: number): Promise<string | undefined> {
      return (await stores.users.findByIds([userId])).get(userId)?.distinctId;
    },

    /**
     * Counts the persons or groups that a condition set matches, before its percentage is applied.
     * @throws InvalidInput naming the field of the `condition`
     * @throws PermissionDenied for properties of persons that the caller may not see, because counts would reveal their values
     * @throws Unavailable when it takes too long
     */
    async blastRadius(
      project: Project,
      condition: Readonly<Record<string, unknown>>,
      groupTypeIndex: number | null,
      rights: Pick<Rights, 'levelOf'>,
    ): Promise<{ matching: number; total: number }> {
      // Drops the variant of the condition set, because the flag's variants are not known here.
      const wanted = { ...condition, aggregation_group_type_index: groupTypeIndex, variant: null };
      const set = await parseSet(project, wanted, rights);
      // tooth: raw-blast-radius
      if (set.properties?.some(readsPersonProperty)) ensureRaw(rawAccessByLevel(rights), ['person']);
      const subject = groupTypeIndex === null ? 'person' : ({ groupTypeIndex } as const);
      return counts.countMatching(project.id, (set.properties ?? []) as readonly Json[], subject);
    },
  };

  async function parseSet(
    project: Project,
    condition: Record<string, unknown>,
    rights: Pick<Rights, 'levelOf'>,
  ): Promise<ConditionSet> {
    try {
      const filters = validateFilters({ groups: [condition] });
      await checkReferences(stores, project.id, { key: '', filters }, rights);
      return filters.groups[0] as ConditionSet;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const attr = error.attr?.replace('filters__groups__0', 'condition') ?? null;
      throw new InvalidInput(error.message, attr, error.code);
    }
  }
}

/** Whether the condition itself reads a person's property; cohorts and flags were checked when they were stored. */
function readsPersonProperty({ type }: Property): boolean {
  return type !== 'group' && type !== 'cohort' && type !== 'flag';
}

export type FlagAnswers = ReturnType<typeof flagAnswers>;
