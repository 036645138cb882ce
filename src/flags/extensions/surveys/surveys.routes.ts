/** `/surveys/`: the management of surveys. */
import { userOf } from '../../../people/accounts/users.ts';
import type { Rights } from '../../../platform/http/access.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../../platform/http/parameters/pagination.ts';
import { json, noBody, route } from '../../../platform/http/route.ts';
import { Type } from '../../../platform/schema.ts';
import { ignoredFields } from '../../feature-flags/checks/ignored-fields.ts';
import { presentLinkedFlag } from '../../feature-flags/linked.ts';
import { NewSurveyBody, SurveyBody, SurveyPatchBody, SurveyPutBody, type GivenSurvey } from './surveys.schema.ts';
import type { SurveysWithFlags, Surveys } from './surveys.ts';
import { iterationStarts } from './timetable.ts';

export type SurveysApi = { surveys: Surveys };

export const SurveyParams = Type.Object({ id: Type.String({ format: 'uuid' }) });

function present({ surveys, flags, users }: SurveysWithFlags, rights: Rights): SurveyBody[] {
  const flagOf = (id: number | null, viewer?: Rights) => {
    const flag = id === null ? undefined : flags.get(id);
    return flag ? presentLinkedFlag(flag, viewer) : null;
  };
  return surveys.map((survey) => {
    const starts = iterationStarts(survey);
    const iteration = survey.current_iteration;
    return {
      id: survey.id,
      name: survey.name,
      description: survey.description,
      type: survey.type,
      schedule: survey.schedule,
      linked_flag: flagOf(survey.linked_flag_id, rights),
      linked_flag_id: survey.linked_flag_id,
      targeting_flag: flagOf(survey.targeting_flag_id),
      internal_targeting_flag: flagOf(survey.internal_targeting_flag_id),
      questions: survey.questions,
      conditions: survey.conditions,
      appearance: survey.appearance,
      created_at: survey.created_at,
      created_by: userOf(users, survey.created_by),
      start_date: survey.start_date,
      end_date: survey.end_date,
      archived: survey.archived,
      responses_limit: survey.responses_limit,
      iteration_count: survey.iteration_count,
      iteration_frequency_days: survey.iteration_frequency_days,
      iteration_start_dates: starts,
      current_iteration: iteration,
      current_iteration_start_date: iteration === null ? null : (starts[iteration - 1] ?? null),
      response_sampling_start_date: survey.response_sampling_start_date,
      response_sampling_interval_type: survey.response_sampling_interval_type,
      response_sampling_interval: survey.response_sampling_interval,
      response_sampling_limit: survey.response_sampling_limit,
      enable_partial_responses: survey.enable_partial_responses,
    };
  });
}

function ignoredIn({ targeting_flag_filters: filters }: GivenSurvey) {
  return ignoredFields(filters, 'targeting_flag_filters');
}

const listSurveys = route({
  method: 'get',
  path: '/surveys/',
  access: { scope: 'survey:read' },
  query: Type.Object({
    ...offsetQuery().properties,
    search: Type.Optional(
      Type.String({ description: 'Returns only surveys whose name or description contains this text.' }),
    ),
  }),
  answers: { 200: offsetPageOf(SurveyBody) },
  summary: 'List surveys, newest first',
  async handle({ project, rights, query, url }, { surveys }: SurveysApi) {
    const { search } = query;
    const { count, ...shown } = await surveys.list(project.id, { search, ...pageBounds(query) });
    return json(200, offsetPage(url, query, { count, results: present(shown, rights) }));
  },
});

const createSurvey = route({
  method: 'post',
  path: '/surveys/',
  access: { scope: 'survey:write' },
  body: NewSurveyBody,
  answers: { 201: SurveyBody },
  summary: 'Create a survey',
  description: 'The survey runs from its `start_date` until its `end_date`; without a start date it is a draft.',
  async handle({ project, caller, rights, body }, { surveys }: SurveysApi) {
    const ignored = ignoredIn(body);
    const shown = await surveys.create(project, { ...caller, viewer: rights }, body);
    return json(201, { ...present(shown, rights)[0], ...ignored });
  },
});

const getSurvey = route({
  method: 'get',
  path: '/surveys/:id/',
  access: { scope: 'survey:read' },
  params: SurveyParams,
  answers: { 200: SurveyBody },
  summary: 'Retrieve a survey',
  async handle({ project, rights, params }, { surveys }: SurveysApi) {
    return json(200, present(await surveys.get(project.id, params.id), rights)[0]);
  },
});

const patchSurvey = route({
  method: 'patch',
  path: '/surveys/:id/',
  access: { scope: 'survey:write' },
  params: SurveyParams,
  body: SurveyPatchBody,
  answers: { 200: SurveyBody },
  summary: 'Update, start, stop, resume or archive a survey',
  description: 'Setting `end_date` to null resumes the survey.',
  async handle({ project, caller, rights, params, body }, { surveys }: SurveysApi) {
    const ignored = ignoredIn(body);
    const shown = await surveys.change(project, { ...caller, viewer: rights }, params.id, body);
    return json(200, { ...present(shown, rights)[0], ...ignored });
  },
});

const putSurvey = route({
  method: 'put',
  path: '/surveys/:id/',
  access: { scope: 'survey:write' },
  params: SurveyParams,
  body: SurveyPutBody,
  answers: { 200: SurveyBody },
  summary: 'Update a survey, with its name and type required',
  description: 'Otherwise the same as PATCH: omitted fields keep their values.',
  handle: patchSurvey.handle,
});

const deleteSurvey = route({
  method: 'delete',
  path: '/surveys/:id/',
  access: { scope: 'survey:write' },
  params: SurveyParams,
  answers: { 204: null },
  summary: 'Delete a survey and the flags created for it, and keep its responses',
  async handle({ project, caller, rights, params }, { surveys }: SurveysApi) {
    await surveys.delete(project, { ...caller, viewer: rights }, params.id);
    return noBody(204);
  },
});

export const surveyRoutes = [listSurveys, createSurvey, getSurvey, putSurvey, patchSurvey, deleteSurvey];
