/** Surveys on the wire of their management. */
import { UserBody } from '../../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import { IgnoredMembers } from '../../feature-flags/checks/check-members.ts';
import { LinkedFlagBody } from '../../feature-flags/linked.ts';
import { AppearanceBody, ConditionsBody } from './display.ts';
import { QuestionBody, QuestionsBody } from './questions.ts';
import { SCHEDULES, SURVEY_TYPES } from './surveys.store.ts';

const MAX_ITERATIONS = 500;
/** Ten years. */
const MAX_DAYS = 3650;
const MAX_INT = 2 ** 31 - 1;

const Datetime = nullable(Type.String({ description: 'ISO 8601; without a zone it is UTC.' }));
const Count = nullable(Type.Integer({ minimum: 1, maximum: MAX_INT }));
const FlagId = nullable(Type.Integer({ minimum: 1, maximum: MAX_INT }));
const name = Type.String({ minLength: 1, maxLength: 400, description: 'Of no other survey of the project.' });
const type = stringEnum(SURVEY_TYPES);

const settings = {
  description: Type.String({ maxLength: 10_000, description: 'Pages are told it, too.' }),
  schedule: nullable(stringEnum(SCHEDULES)),
  questions: nullable(QuestionsBody),
  conditions: nullable(ConditionsBody),
  appearance: nullable(AppearanceBody),
  start_date: Datetime,
  end_date: Datetime,
  archived: Type.Boolean({ description: 'It is told to nobody.' }),
  responses_limit: nullable(Type.Integer({ minimum: 1, maximum: MAX_INT }), {
    description: 'With so many answers it ends, some seconds later.',
  }),
  iteration_count: nullable(Type.Integer({ minimum: 0, maximum: MAX_ITERATIONS }), {
    description: 'How often it is asked in all; null or 0: it is not repeated.',
  }),
  iteration_frequency_days: nullable(Type.Integer({ minimum: 0, maximum: MAX_DAYS })),
  response_sampling_start_date: Datetime,
  response_sampling_interval_type: nullable(stringEnum(['day', 'week', 'month'] as const)),
  response_sampling_interval: Count,
  response_sampling_limit: nullable(Type.Integer({ minimum: 0, maximum: MAX_INT }), {
    description:
      'With so many answers in an interval nobody is asked until the next; the share who are asked grows with its days.',
  }),
  enable_partial_responses: nullable(Type.Boolean()),
  linked_flag_id: FlagId,
};

const Targeting = {
  targeting_flag_filters: nullable(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Who is asked: filters as of a feature flag, from which a flag of its own is made.',
  }),
};

export const NewSurveyBody = Type.Object(
  { name, type, ...Type.Partial(Type.Object({ ...settings, ...Targeting })).properties },
  { title: 'NewSurvey' },
);

export const SurveyPatchBody = Type.Partial(
  Type.Object({
    name,
    type,
    ...settings,
    ...Targeting,
    remove_targeting_flag: nullable(Type.Boolean(), { description: 'Everybody is asked.' }),
  }),
  { title: 'SurveyPatch', description: 'What is left out stays.' },
);

export const SurveyPutBody = Type.Object(
  { ...SurveyPatchBody.properties, name, type },
  { title: 'SurveyPut', description: 'Like a PATCH that has to say the name and the type.' },
);

/** Fields of a request about a survey, new or not. */
export type GivenSurvey = Static<typeof SurveyPatchBody>;

const When = nullable(Type.String({ format: 'date-time' }));

export const SurveyBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    description: Type.String(),
    type,
    schedule: settings.schedule,
    linked_flag: nullable(LinkedFlagBody),
    linked_flag_id: nullable(Type.Integer()),
    targeting_flag: nullable(LinkedFlagBody),
    internal_targeting_flag: nullable(LinkedFlagBody, {
      description: 'Keeps out who has answered or dismissed it; active while the survey runs.',
    }),
    questions: nullable(Type.Array(QuestionBody)),
    conditions: nullable(ConditionsBody),
    appearance: nullable(AppearanceBody),
    created_at: Type.String({ format: 'date-time' }),
    created_by: nullable(UserBody),
    start_date: When,
    end_date: When,
    archived: Type.Boolean(),
    responses_limit: settings.responses_limit,
    iteration_count: settings.iteration_count,
    iteration_frequency_days: settings.iteration_frequency_days,
    iteration_start_dates: Type.Array(Type.String({ format: 'date-time' })),
    current_iteration: nullable(Type.Integer()),
    current_iteration_start_date: When,
    response_sampling_start_date: When,
    response_sampling_interval_type: settings.response_sampling_interval_type,
    response_sampling_interval: settings.response_sampling_interval,
    response_sampling_limit: settings.response_sampling_limit,
    enable_partial_responses: settings.enable_partial_responses,
    ignored_members: IgnoredMembers,
  },
  { title: 'Survey' },
);
export type SurveyBody = Static<typeof SurveyBody>;
