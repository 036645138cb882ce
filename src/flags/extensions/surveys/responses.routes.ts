/** Statistics of answers to surveys: `/surveys/responses_count/`, `/surveys/stats/` and `/surveys/:id/stats/`. */
import { InvalidInput } from '../../../platform/errors.ts';
import { readMoment } from '../../../platform/http/parameters/moment.ts';
import { json, route } from '../../../platform/http/route.ts';
import { nullable, Type, type Static } from '../../../platform/schema.ts';
import { SURVEY_EVENTS, type ResponseFigures, type ResponseStore, type SurveyEvent } from './responses.store.ts';
import { SurveyParams } from './surveys.routes.ts';
import type { SurveyStore } from './surveys.store.ts';

export type SurveyResponsesApi = {
  surveyResponses: ResponseStore;
  surveyRows: Pick<SurveyStore, 'get' | 'startedSurveys'>;
};

const When = nullable(Type.String({ format: 'date-time' }));

const EventStatsBody = Type.Object({
  total_count: Type.Integer(),
  total_count_only_seen: Type.Integer({
    description: 'The number of `survey shown` events less the dismissals and responses; at least 0.',
  }),
  unique_persons: Type.Integer(),
  unique_persons_only_seen: Type.Integer(),
  first_seen: When,
  last_seen: When,
});
const Rate = Type.Number({ description: 'A percentage with two decimal places.' });
const stats = {
  stats: Type.Record(Type.String(), EventStatsBody, {
    description: `Statistics by event: ${SURVEY_EVENTS.join(', ')}.`,
  }),
  rates: Type.Object({
    response_rate: Rate,
    dismissal_rate: Rate,
    unique_users_response_rate: Rate,
    unique_users_dismissal_rate: Rate,
  }),
};
const SurveyStatsBody = Type.Object(
  { ...stats, survey_id: Type.String({ format: 'uuid' }), start_date: When, end_date: When },
  { title: 'SurveyStats' },
);

const Period = Type.Object({
  date_from: Type.Optional(
    Type.String({ description: 'Counts events at or after this time: a datetime or a relative time such as -30d.' }),
  ),
  date_to: Type.Optional(
    Type.String({ description: 'Counts events before this time: a datetime or a relative time such as -1d.' }),
  ),
});

function periodOf({ date_from: since, date_to: until }: Static<typeof Period>) {
  const from = since === undefined ? null : readMoment(since, 'date_from');
  const to = until === undefined ? null : readMoment(until, 'date_to');
  if (from !== null && to !== null && from > to)
    throw new InvalidInput('date_from must be before date_to', 'date_from');
  return { from, to };
}

/** Presents figures by upstream's rule: a person who dismissed a survey and also answered it counts as having answered. */
function present({ byEvent, dismissedAndSent }: ResponseFigures) {
  const none = { total: 0, persons: 0, firstSeen: null, lastSeen: null };
  const figuresOf = (event: SurveyEvent) => byEvent.get(event) ?? none;
  const [shown, sent] = [figuresOf('survey shown'), figuresOf('survey sent')];
  const dismissed = {
    ...figuresOf('survey dismissed'),
    persons: figuresOf('survey dismissed').persons - dismissedAndSent,
  };
  const body = ({ total, persons, firstSeen, lastSeen }: typeof shown): Static<typeof EventStatsBody> => ({
    total_count: total,
    total_count_only_seen: 0,
    unique_persons: persons,
    unique_persons_only_seen: 0,
    first_seen: firstSeen,
    last_seen: lastSeen,
  });
  return {
    stats: {
      'survey shown': {
        ...body(shown),
        total_count_only_seen: Math.max(0, shown.total - dismissed.total - sent.total),
        unique_persons_only_seen: Math.max(0, shown.persons - dismissed.persons - sent.persons),
      },
      'survey dismissed': body(dismissed),
      'survey sent': body(sent),
    },
    rates: {
      response_rate: percent(sent.total, shown.total),
      dismissal_rate: percent(dismissed.total, shown.total),
      unique_users_response_rate: percent(sent.persons, shown.persons),
      unique_users_dismissal_rate: percent(dismissed.persons, shown.persons),
    },
  };
}

function percent(part: number, total: number): number {
  return total === 0 ? 0 : Math.round((part / total) * 10_000) / 100;
}

const COUNT_DESCRIPTION =
  'Counts the events that SDKs send. Responds with 503 if the count takes longer than a few seconds.';

const countResponses = route({
  method: 'get',
  path: '/surveys/responses_count/',
  access: { scope: 'survey:read' },
  answers: { 200: Type.Record(Type.String(), Type.Integer()) },
  summary: 'Count the responses of each survey, by survey ID',
  description: `Surveys without responses are omitted. ${COUNT_DESCRIPTION}`,
  async handle({ project }, { surveyResponses, surveyRows }: SurveyResponsesApi) {
    const { ids, earliest } = await surveyRows.startedSurveys(project.id);
    return json(200, Object.fromEntries(await surveyResponses.countAnswers(project.id, ids, earliest)));
  },
});

const projectStats = route({
  method: 'get',
  path: '/surveys/stats/',
  operationId: 'surveys_all_stats_retrieve',
  access: { scope: 'survey:read' },
  query: Period,
  answers: { 200: Type.Object(stats) },
  summary: 'Count the views, dismissals and responses of all unarchived surveys',
  description: COUNT_DESCRIPTION,
  async handle({ project, query }, { surveyResponses, surveyRows }: SurveyResponsesApi) {
    const { ids } = await surveyRows.startedSurveys(project.id, { archived: false });
    return json(200, present(await surveyResponses.countFigures(project.id, ids, periodOf(query))));
  },
});

const surveyStats = route({
  method: 'get',
  path: '/surveys/:id/stats/',
  access: { scope: 'survey:read' },
  params: SurveyParams,
  query: Period,
  answers: { 200: SurveyStatsBody },
  summary: 'Count the views, dismissals and responses of a survey',
  description: COUNT_DESCRIPTION,
  async handle({ project, params, query }, { surveyResponses, surveyRows }: SurveyResponsesApi) {
    const { id, start_date, end_date } = await surveyRows.get(project.id, params.id);
    const figures = await surveyResponses.countFigures(project.id, [id], periodOf(query));
    return json(200, { ...present(figures), survey_id: id, start_date, end_date });
  },
});

export const surveyResponseRoutes = [countResponses, projectStats, surveyStats];
