/** `/api/surveys/` and `/api/web_experiments/`: data for web pages, which anybody with the public key can read. */
import { json, route } from '../../../platform/http/route.ts';
import { nullable, Type, type Static } from '../../../platform/schema.ts';
import type { LiveDefinitions } from '../../definitions/live-definitions.ts';
import { getProjectByToken, cacheByProjectVersion, TokenQuery } from '../../published.ts';
import { AppearanceBody, ConditionsBody } from './display.ts';
import { QuestionBody } from './questions.ts';
import type { PublishedSurvey, SurveyStore } from './surveys.store.ts';
import { iterationStarts } from './timetable.ts';

const Key = nullable(Type.String());
const Datetime = nullable(Type.String({ format: 'date-time' }));

const PublishedSurveyBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    description: Type.String(),
    type: Type.String(),
    linked_flag_key: Key,
    targeting_flag_key: Key,
    internal_targeting_flag_key: Key,
    questions: nullable(Type.Array(QuestionBody)),
    conditions: nullable(ConditionsBody),
    appearance: nullable(AppearanceBody),
    start_date: Datetime,
    end_date: Datetime,
    current_iteration: nullable(Type.Integer()),
    current_iteration_start_date: Datetime,
    schedule: nullable(Type.String()),
    enable_partial_responses: nullable(Type.Boolean()),
  },
  { title: 'PublishedSurvey' },
);

type Token = Static<typeof TokenQuery>;

export type PublishedSurveysApi = {
  publishedSurveys: {
    list(query: Token): Promise<readonly PublishedSurvey[]>;
    /** @throws NotAuthenticated unless the key is a project's */
    authenticate(query: Token): Promise<unknown>;
  };
};

/** Lists surveys from memory until the project changes. */
export function publishedSurveys(
  live: Pick<LiveDefinitions, 'find'>,
  store: SurveyStore,
): PublishedSurveysApi['publishedSurveys'] {
  const surveysOf = cacheByProjectVersion((projectId) => store.listPublished(projectId));
  return {
    list: async (query) => surveysOf(await getProjectByToken(live, query)),
    authenticate: (query) => getProjectByToken(live, query),
  };
}

const listPublishedSurveys = route({
  method: 'get',
  path: '/api/surveys/',
  operationId: 'published_surveys_list',
  errors: [401, 403],
  access: { public: true },
  query: TokenQuery,
  answers: { 200: Type.Object({ surveys: Type.Array(PublishedSurveyBody), survey_config: Type.Null() }) },
  summary: 'List the launched surveys of a project that are not archived',
  description:
    'For web pages, which then request the listed flags: a survey is shown to persons for whom all of its ' +
    'flags are enabled. Includes surveys that have ended. An end date in the future is returned as null, since ' +
    'SDKs treat any end date as past.',
  async handle({ query }, { publishedSurveys }: PublishedSurveysApi) {
    const now = Date.now();
    // A survey stays private until it is launched, and anyone with the public key can read this.
    // tooth: survey-draft
    const launched = (await publishedSurveys.list(query)).filter(({ start_date: start }) => isPast(start, now));
    const surveys = launched.map((survey) => present(survey, now));
    return json(200, { surveys, survey_config: null });
  },
});

function isPast(date: string | null, now: number): boolean {
  return date !== null && Date.parse(date) <= now;
}

function present(survey: PublishedSurvey, now: number): Static<typeof PublishedSurveyBody> {
  const iteration = survey.current_iteration;
  return {
    id: survey.id,
    name: survey.name,
    description: survey.description,
    type: survey.type,
    linked_flag_key: survey.linked_flag_key,
    targeting_flag_key: survey.targeting_flag_key,
    internal_targeting_flag_key: survey.internal_targeting_flag_key,
    questions: survey.questions,
    conditions: survey.conditions,
    appearance: survey.appearance,
    start_date: survey.start_date,
    end_date: isPast(survey.end_date, now) ? survey.end_date : null,
    current_iteration: iteration,
    current_iteration_start_date: iteration === null ? null : (iterationStarts(survey)[iteration - 1] ?? null),
    schedule: survey.schedule,
    enable_partial_responses: survey.enable_partial_responses,
  };
}

const listWebExperiments = route({
  method: 'get',
  path: '/api/web_experiments/',
  operationId: 'web_experiments_list',
  errors: [401, 403],
  access: { public: true },
  query: TokenQuery,
  answers: { 200: Type.Object({ experiments: Type.Array(Type.Unknown()) }) },
  summary: 'List the page changes of web experiments',
  description:
    'The list is always empty because experiments do not change pages here; SDKs request it when web ' +
    'experiments are enabled.',
  async handle({ query }, { publishedSurveys }: PublishedSurveysApi) {
    await publishedSurveys.authenticate(query);
    return json(200, { experiments: [] });
  },
});

export const publishedSurveyRoutes = [listPublishedSurveys, listWebExperiments];
