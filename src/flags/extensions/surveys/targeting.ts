/** The two flags that a survey owns: for the targeted persons, and for those who have not reacted yet. SDKs require both. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Project } from '../../../platform/http/access.ts';
import { SURVEY_PREFIX } from '../../evaluation/definitions.ts';
import { changeFlag, createFlag, type FlagAuthor } from '../../feature-flags.ts';
import type { FeatureFlag } from '../../feature-flags/feature-flags.store.ts';
import { slugOf } from '../../slug.ts';
import type { BoundFlagStores } from '../../stores.ts';
import type { Survey } from './surveys.store.ts';
import type { SurveyStateAt } from './timetable.ts';

/** Author of a change to a survey. Their rights to the survey's flags are not checked; `viewer` only decides which flags errors may name. */
export type SurveyAuthor = Omit<FlagAuthor, 'rights'>;

/** Stores of the transaction, project and author of a change. */
export type SurveyChangeContext = { stores: BoundFlagStores; project: Project; author: SurveyAuthor };

/** Filters of a flag; those from a client are unchecked. */
export type UncheckedFilters = Readonly<Record<string, unknown>>;

/**
 * Creates or changes the flag for the targeted persons.
 * @returns the id of the flag
 * @throws InvalidInput naming the field of `targeting_flag_filters`
 */
export async function setTargetingFlag(
  { stores, project, author }: SurveyChangeContext,
  survey: Pick<Survey, 'id' | 'name' | 'targeting_flag_id' | 'is_running'>,
  filters: UncheckedFilters,
): Promise<number> {
  refuseEverybody(filters);
  const { targeting_flag_id: id, is_running: active } = survey;
  const flag = await withSurveyErrors(async () => {
    if (id === null) {
      const key = await targetingKey(stores, survey, project.id);
      return createFlag(stores, project, author, {
        key,
        name: `Targeting flag for survey ${survey.name}`,
        filters,
        active,
      });
    }
    const present = await stores.flags.get(project.id, id);
    return changeFlag(stores, project, author, id, { filters: { ...present.filters, ...filters } });
  });
  return flag.id;
}

/**
 * Updates the flags to the survey's current state, and creates the internal one if there is none.
 * @returns the id of the internal flag, which is on for persons who have neither answered nor dismissed the current iteration
 */
export async function updateFlags(
  { stores, project, author }: SurveyChangeContext,
  survey: Pick<
    Survey,
    'id' | 'name' | 'is_running' | 'current_iteration' | 'targeting_flag_id' | 'internal_targeting_flag_id'
  > &
    Pick<SurveyStateAt, 'rollout_percentage'>,
): Promise<number> {
  const { targeting_flag_id: targeting, internal_targeting_flag_id: internal, is_running: active } = survey;
  if (targeting !== null) await changeFlag(stores, project, author, targeting, { active });
  const filters = unansweredFilters(survey);
  if (internal !== null) return (await changeFlag(stores, project, author, internal, { active, filters })).id;
  const key = `${SURVEY_PREFIX}${survey.id}-custom`;
  const name = `Internal targeting flag for survey ${survey.name}`;
  return (await createFlag(stores, project, author, { key, name, filters, active })).id;
}

/** Deletes flags that no survey names any more. */
export async function deleteFlags(
  { stores, project, author }: SurveyChangeContext,
  ids: readonly (number | null)[],
): Promise<void> {
  for (const id of ids) {
    if (id !== null) await changeFlag(stores, project, author, id, { deleted: true });
  }
}

/** Filters for persons who have not reacted to the current iteration. SDKs set the properties (posthog-js: `getSurveyInteractionProperty`). */
function unansweredFilters({
  id,
  current_iteration: iteration,
  rollout_percentage,
}: Pick<Survey, 'id' | 'current_iteration'> & Pick<SurveyStateAt, 'rollout_percentage'>): UncheckedFilters {
  const subject = iteration === null ? id : `${id}/${iteration}`;
  const properties = ['$survey_dismissed', '$survey_responded'].map((name) => ({
    key: `${name}/${subject}`,
    type: 'person',
    operator: 'is_not_set',
    value: 'is_not_set',
  }));
  return { groups: [{ properties, rollout_percentage }] };
}

/** Derives a key from the survey's name, which is easier to recognise than its id. */
async function targetingKey(
  stores: BoundFlagStores,
  { id, name }: Pick<Survey, 'id' | 'name'>,
  projectId: number,
): Promise<string> {
  const slug = slugOf(name).slice(0, 200);
  const key = SURVEY_PREFIX + (slug || id);
  const existing = await stores.flags.findByKey(projectId, key);
  return existing ? `${key}-${id}` : key;
}

function refuseEverybody({ groups }: UncheckedFilters): void {
  type ConditionSet = { properties?: unknown[] | null; rollout_percentage?: unknown } | null;
  const matchesEverybody = (set: ConditionSet) => (set?.rollout_percentage ?? 100) === 100 && !set?.properties?.length;
  if (!Array.isArray(groups) || !groups.some(matchesEverybody)) return;
  throw new InvalidInput(
    'Invalid operation: User targeting rolls out to everyone. If you want to roll out to everyone, delete this targeting',
    'targeting_flag_filters',
    'invalid',
  );
}

/** Rethrows errors about the flag with the field names of the survey. */
async function withSurveyErrors(work: () => Promise<FeatureFlag>): Promise<FeatureFlag> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const detail = error.message.replace('feature flags', 'surveys');
    throw new InvalidInput(detail, error.attr?.replace(/^filters/, 'targeting_flag_filters') ?? null, error.code);
  }
}
