/** `/experiments/`: comparisons of a flag's variants by the behavior of persons. */
import { PermissionDenied } from '../../../platform/errors.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../../platform/http/parameters/pagination.ts';
import { json, route } from '../../../platform/http/route.ts';
import { stringEnum, Type } from '../../../platform/schema.ts';
import { maySeeFlag } from '../../feature-flags/linked.ts';
import type { Experiments } from './experiments.ts';
import { parsePhase, PHASE_NAMES } from './phases.ts';
import { presentExperiment } from './present.ts';
import { presentResults } from './results/results.present.ts';
import { ResultsBody } from './results/results.schema.ts';
import type { ExperimentResults } from './results/results.ts';
import { ExperimentBody, ExperimentPatchBody, IdParams, NewExperimentBody } from './schema.ts';

export type ExperimentRoutesApi = { experiments: Experiments; experimentResults: ExperimentResults };

const listExperiments = route({
  method: 'get',
  path: '/experiments/',
  access: { scope: 'experiment:read' },
  query: Type.Object({
    ...offsetQuery().properties,
    archived: Type.Optional(Type.Boolean()),
    status: Type.Optional(
      stringEnum(PHASE_NAMES, {
        description: 'Returns only experiments with this status; `complete` and `ended` are older names for `stopped`.',
      }),
    ),
    feature_flag_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
    search: Type.Optional(
      Type.String({
        maxLength: 400,
        description: 'Returns only experiments whose name contains this text, ignoring case.',
      }),
    ),
  }),
  answers: { 200: offsetPageOf(ExperimentBody) },
  summary: 'List experiments, newest first',
  async handle({ project, rights, query, url }, { experiments }: ExperimentRoutesApi) {
    const { archived, status, feature_flag_id, search } = query;
    const filter = {
      archived,
      phase: parsePhase(status),
      flagId: feature_flag_id,
      search,
      ...pageBounds(query),
    };
    const { count, results } = await experiments.list(project.id, filter);
    return json(
      200,
      offsetPage(url, query, { count, results: results.map((result) => presentExperiment(result, rights)) }),
    );
  },
});

const createExperiment = route({
  method: 'post',
  path: '/experiments/',
  access: { scope: 'experiment:write' },
  body: NewExperimentBody,
  answers: { 201: ExperimentBody },
  summary: 'Create an experiment and, if no flag has the key, its flag',
  description:
    'A new flag applies to everyone, with the variants `control` and `test` at 50 percent each, unless ' +
    '`parameters` specify otherwise. An existing flag needs a variant `control` and is not changed.',
  async handle({ project, caller, rights, body }, { experiments }: ExperimentRoutesApi) {
    return json(201, presentExperiment(await experiments.create(project, { ...caller, rights }, body), rights));
  },
});

const getExperiment = route({
  method: 'get',
  path: '/experiments/:id/',
  access: { scope: 'experiment:read' },
  params: IdParams,
  answers: { 200: ExperimentBody },
  summary: 'Retrieve an experiment',
  async handle({ project, rights, params }, { experiments }: ExperimentRoutesApi) {
    return json(200, presentExperiment(await experiments.get(project.id, params.id), rights));
  },
});

const changeExperiment = route({
  method: 'patch',
  path: '/experiments/:id/',
  access: { scope: 'experiment:write' },
  params: IdParams,
  body: ExperimentPatchBody,
  answers: { 200: ExperimentBody },
  summary: 'Update, launch, end, archive or delete an experiment',
  description:
    'Setting `start_date` launches a draft and activates its flag; its variants, percentages and holdout ' +
    'cannot be changed afterwards. `end_date` ends the measurement, while the flag stays active. An ended ' +
    'experiment can be archived.',
  async handle({ project, caller, rights, params, body }, { experiments }: ExperimentRoutesApi) {
    return json(
      200,
      presentExperiment(await experiments.change(project, { ...caller, rights }, params.id, body), rights),
    );
  },
});

const getResults = route({
  method: 'get',
  path: '/experiments/:id/results/',
  access: { scope: 'experiment:read' },
  params: IdParams,
  query: Type.Object({
    refresh: Type.Boolean({
      default: false,
      description: 'If true, computes the results again; otherwise they are cached for a minute.',
    }),
  }),
  answers: { 200: ResultsBody },
  summary: 'Compare the variants of an experiment by exposures and metrics',
  description: 'Metrics have credible intervals. docs/feature-flags.md describes the method.',
  async handle({ project, rights, params, query }, { experiments, experimentResults }: ExperimentRoutesApi) {
    const linked = await experiments.get(project.id, params.id);
    // Results reveal the variants of the flag and their percentages.
    // tooth: results-of-hidden-flags
    if (!maySeeFlag(rights, linked.flag))
      throw new PermissionDenied("You do not have viewer access to the experiment's flag.");
    return json(200, presentResults(await experimentResults.get(linked, query.refresh)));
  },
});

export const experimentRoutes = [listExperiments, createExperiment, getExperiment, changeExperiment, getResults];
