/** Checks the bodies of requests about surveys, in combination with the stored fields. */
import { InvalidInput } from '../../../platform/errors.ts';
import { readDatetime } from '../../../platform/http/parameters/datetime.ts';
import type { Rights } from '../../../platform/http/access.ts';
import { limitValues } from '../../../platform/http/value-limit.ts';
import type { FeatureFlag } from '../../feature-flags/feature-flags.store.ts';
import { variantsOf } from '../../feature-flags/filters.ts';
import { maySeeFlag } from '../../feature-flags/linked.ts';
import type { BoundFlagStores } from '../../stores.ts';
import { checkAppearance, checkConditions } from './display.ts';
import { checkQuestions } from './questions.ts';
import type { GivenSurvey } from './surveys.schema.ts';
import type { Survey, SurveyFields, SurveyState } from './surveys.store.ts';

/** Defaults of a new survey's fields and state. */
export const NEW_SURVEY: Omit<SurveyFields & SurveyState, 'name' | 'type'> = {
  description: '',
  schedule: 'once',
  questions: null,
  conditions: null,
  appearance: null,
  start_date: null,
  end_date: null,
  archived: false,
  responses_limit: null,
  linked_flag_id: null,
  iteration_count: null,
  iteration_frequency_days: null,
  response_sampling_start_date: null,
  response_sampling_interval_type: 'week',
  response_sampling_interval: null,
  response_sampling_limit: null,
  sampling_paused_until: null,
  enable_partial_responses: false,
  targeting_flag_id: null,
  internal_targeting_flag_id: null,
  is_running: false,
  current_iteration: null,
  due_at: null,
};

/** JSON values in `questions`; many, because of translations. */
const MAX_QUESTION_VALUES = 20_000;

const DATES = ['start_date', 'end_date', 'response_sampling_start_date'] as const;

/** @throws InvalidInput naming the field */
export function parseFields(input: GivenSurvey): Partial<SurveyFields> {
  const { targeting_flag_filters: _filters, remove_targeting_flag: _remove, ...fields } = input;
  if (fields.name?.trim() === '') throw new InvalidInput('This field may not be blank.', 'name', 'blank');
  limitValues(fields.questions, 'questions', MAX_QUESTION_VALUES);
  if (fields.conditions) checkConditions(limitValues(fields.conditions, 'conditions'));
  if (fields.appearance) checkAppearance(limitValues(fields.appearance, 'appearance'));
  const dates = DATES.filter((name) => typeof fields[name] === 'string');
  const changesSampling = Object.keys(fields).some((name) => name.startsWith('response_sampling'));
  return {
    ...fields,
    ...(changesSampling && { sampling_paused_until: null }),
    ...Object.fromEntries(dates.map((name) => [name, readDatetime(fields[name]!, name)])),
    ...(fields.questions && { questions: checkQuestions(fields.questions) }),
  } as Partial<SurveyFields>;
}

/**
 * Checks combinations of a survey's fields.
 * @param input fields in the request
 * @throws InvalidInput naming the field
 */
export async function checkSurvey(
  stores: BoundFlagStores,
  survey: SurveyFields & Pick<Survey, 'project_id' | 'current_iteration'>,
  input: GivenSurvey,
  viewer: { linkedBefore: number | null; rights: Pick<Rights, 'levelOf'> | undefined },
): Promise<void> {
  checkIterations(survey);
  checkSampling(survey, input);
  if (survey.type === 'external_survey') checkExternal(survey, input);
  if (input.linked_flag_id !== undefined || input.conditions !== undefined)
    await checkLinkedFlag(stores, survey, viewer);
}

function checkIterations({
  iteration_count: count,
  current_iteration: current,
}: SurveyFields & Pick<Survey, 'current_iteration'>) {
  if (current === null || !count || current <= count) return;
  const detail = `Cannot change survey recurrence to ${count}, should be at least ${current}`;
  throw new InvalidInput(detail, 'iteration_count');
}

function checkSampling(survey: SurveyFields, { response_sampling_start_date: samplingStart }: GivenSurvey): void {
  const { response_sampling_start_date: start, response_sampling_limit: limit } = survey;
  if (samplingStart && Date.parse(start!) < new Date().setUTCHours(0, 0, 0, 0)) {
    throw new InvalidInput(
      'Response sampling start date must be today or a future date in UTC.',
      'response_sampling_start_date',
    );
  }
  if (limit && survey.response_sampling_interval && start === null) {
    throw new InvalidInput('Response sampling needs a start date.', 'response_sampling_start_date');
  }
}

/** Conditions that an external survey cannot have, because they depend on the page that embeds a survey. */
const PAGE_CONDITIONS = [
  'url',
  'urlMatchType',
  'selector',
  'seenSurveyWaitPeriodInDays',
  'linkedFlagVariant',
  'deviceTypes',
  'deviceTypesMatchType',
] as const;

function checkExternal({ linked_flag_id: linked, conditions, appearance }: SurveyFields, input: GivenSurvey): void {
  if (linked !== null) refuseExternal('linked_flag_id');
  if (input.targeting_flag_filters) refuseExternal('targeting_flag_filters');
  for (const field of PAGE_CONDITIONS)
    if ((conditions?.[field] ?? null) !== null) refuseExternal(`conditions__${field}`);
  for (const field of ['actions', 'events'] as const) {
    if (conditions?.[field]?.values.length) refuseExternal(`conditions__${field}`);
  }
  if ((appearance?.surveyPopupDelaySeconds ?? null) !== null) refuseExternal('appearance__surveyPopupDelaySeconds');
}

function refuseExternal(field: string): never {
  throw new InvalidInput(`${field.slice(field.lastIndexOf('__') + 2)} is not allowed for external surveys`, field);
}

async function checkLinkedFlag(
  { flags }: BoundFlagStores,
  survey: Pick<Survey, 'project_id' | 'linked_flag_id' | 'conditions'>,
  { linkedBefore, rights }: { linkedBefore: number | null; rights: Pick<Rights, 'levelOf'> | undefined },
): Promise<void> {
  const { linked_flag_id: id } = survey;
  const [flag] = id === null ? [] : await flags.findByIds(survey.project_id, [id]);
  const isHidden = flag !== undefined && !maySeeFlag(rights, flag);
  // Linking a hidden flag would reveal its key, which is delivered to pages.
  if (id !== null && (!flag || (isHidden && id !== linkedBefore)))
    throw new InvalidInput('Feature Flag with this ID does not exist', 'linked_flag_id');
  if (survey.conditions?.linkedFlagVariant) checkVariant(survey.conditions.linkedFlagVariant, flag, isHidden);
}

function checkVariant(variant: string, flag: FeatureFlag | undefined, isHidden: boolean): void {
  if (!flag) refuseVariant('linkedFlagVariant can only be used when a linked_flag_id is specified');
  const variants = variantsOf(flag.filters).map(({ key }) => key);
  if (variant === 'any' || variants.includes(variant)) return;
  if (isHidden) refuseVariant(`Feature flag variant '${variant}' does not exist.`);
  const problem = variants.length > 0 ? `does not exist. Available variants: ${variants.join(', ')}` : undefined;
  refuseVariant(
    `Feature flag variant '${variant}' ${problem ?? 'specified but the linked feature flag has no variants'}`,
  );
}

function refuseVariant(detail: string): never {
  throw new InvalidInput(detail, 'conditions__linkedFlagVariant');
}
