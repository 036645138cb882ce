/** Surveys on the wire of their management. */
import { UserBody } from '../../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import { IgnoredFields } from '../../feature-flags/checks/ignored-fields.ts';
import { LinkedFlagBody } from '../../feature-flags/linked.ts';
import { AppearanceBody, ConditionsBody } from './display.ts';
import { QuestionBody, QuestionsBody } from './questions.ts';
import { SCHEDULES, SURVEY_TYPES } from './surveys.store.ts';

const MAX_ITERATIONS = 500;
/** Ten years. */
const MAX_DAYS = 3650;
const MAX_INT = 2 ** 31 - 1;

const Datetime = nullable(Type.String({ description: 'An ISO 8601 datetime, in UTC if it has no time zone.' }));
const Count = nullable(Type.Integer({ minimum: 1, maximum: MAX_INT }));
const FlagId = nullable(Type.Integer({ minimum: 1, maximum: MAX_INT }));
const name = Type.String({
  minLength: 1,
  maxLength: 400,
  description: 'The name of the survey, unique within the project.',
});
const type = stringEnum(SURVEY_TYPES);

const settings = {
  description: Type.String({
    maxLength: 10_000,
    description: 'A description of the survey, which is also visible to web pages.',
  }),
  schedule: nullable(stringEnum(SCHEDULES)),
  questions: nullable(QuestionsBody),
  conditions: nullable(ConditionsBody),
  appearance: nullable(AppearanceBody),
  start_date: Datetime,
  end_date: Datetime,
  archived: Type.Boolean({ description: 'Whether the survey is archived; archived surveys are not shown to anyone.' }),
  responses_limit: nullable(Type.Integer({ minimum: 1, maximum: MAX_INT }), {
    description:
      'The number of responses after which the survey ends, with a delay of some seconds; null for no limit.',
  }),
  iteration_count: nullable(Type.Integer({ minimum: 0, maximum: MAX_ITERATIONS }), {
    description: 'The total number of times that the survey is shown to a person; null or 0 if it is not repeated.',
  }),
  iteration_frequency_days: nullable(Type.Integer({ minimum: 0, maximum: MAX_DAYS })),
  response_sampling_start_date: Datetime,
  response_sampling_interval_type: nullable(stringEnum(['day', 'week', 'month'] as const)),
  response_sampling_interval: Count,
  response_sampling_limit: nullable(Type.Integer({ minimum: 0, maximum: MAX_INT }), {
    description:
      'The number of responses in a sampling interval after which the survey is not shown until the next ' +
      'interval. The share of persons who see the survey grows with each day of the interval.',
  }),
  enable_partial_responses: nullable(Type.Boolean()),
  linked_flag_id: FlagId,
};

const Targeting = {
  targeting_flag_filters: nullable(Type.Record(Type.String(), Type.Unknown()), {
    description:
      'The conditions for seeing the survey, in the format of feature flag filters; a flag is created from them.',
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
    remove_targeting_flag: nullable(Type.Boolean(), {
      description: 'True to remove the targeting conditions, so that the survey is shown to everyone.',
    }),
  }),
  { title: 'SurveyPatch', description: 'Omitted fields keep their values.' },
);

export const SurveyPutBody = Type.Object(
  { ...SurveyPatchBody.properties, name, type },
  { title: 'SurveyPut', description: 'The same as for PATCH, with the name and type required.' },
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
      description:
        'The flag that excludes persons who have answered or dismissed the survey; active while the survey runs.',
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
    ignored_members: IgnoredFields,
  },
  { title: 'Survey' },
);
export type SurveyBody = Static<typeof SurveyBody>;
