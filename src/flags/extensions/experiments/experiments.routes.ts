/** `/experiments/`: variants of a flag, compared by what persons do who get them. */
import { PermissionDenied } from '../../../platform/errors.ts';
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../../../platform/http/parameters/pagination.ts';
import { json, route } from '../../../platform/http/route.ts';
import { stringEnum, Type } from '../../../platform/schema.ts';
import { seesFlag } from '../../feature-flags/linked.ts';
import type { Experiments } from './experiments.ts';
import { phaseNamed, PHASE_NAMES } from './phases.ts';
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
        description: '`complete` and `ended` are older names of `stopped`.',
      }),
    ),
    feature_flag_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
    search: Type.Optional(Type.String({ maxLength: 400, description: 'Part of the name; case does not matter.' })),
  }),
  answers: { 200: offsetPageOf(ExperimentBody) },
  summary: 'List experiments, the newest first',
  async handle({ project, rights, query, url }, { experiments }: ExperimentRoutesApi) {
    const { archived, status, feature_flag_id, search, offset } = query;
    const wanted = {
      archived,
      phase: phaseNamed(status),
      flagId: feature_flag_id,
      search,
      limit: boundedLimit(query.limit),
      offset,
    };
    const { count, results } = await experiments.list(project.id, wanted);
    return json(200, offsetPage(url, query, { count, results: results.map((one) => presentExperiment(one, rights)) }));
  },
});

const createExperiment = route({
  method: 'post',
  path: '/experiments/',
  access: { scope: 'experiment:write' },
  body: NewExperimentBody,
  answers: { 201: ExperimentBody },
  summary: 'Create an experiment, and its flag where there is none with that key',
  description:
    'A new flag is for everybody, with the variants `control` and `test`, half of the persons each, unless `parameters` say ' +
    'otherwise. A flag that is there needs a variant `control`; it stays as it is.',
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
  summary: 'Change, launch, end, archive or delete an experiment',
  description:
    'A draft is launched by its `start_date`, which makes its flag active; its variants, their percentages and its holdout stay as ' +
    'they are from then on. `end_date` ends what is measured: the flag goes on. Then it can be archived.',
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
    refresh: Type.Boolean({ default: false, description: 'Compute them again. They are kept for a minute otherwise.' }),
  }),
  answers: { 200: ResultsBody },
  summary: 'Compare the variants: exposures, and each metric with credible intervals',
  description: 'How they are computed is in docs/feature-flags.md.',
  async handle({ project, rights, params, query }, { experiments, experimentResults }: ExperimentRoutesApi) {
    const linked = await experiments.get(project.id, params.id);
    // Results name the variants of the flag, and their percentages.
    // tooth: results-of-hidden-flags
    if (!seesFlag(rights, linked.flag))
      throw new PermissionDenied("You do not have viewer access to the experiment's flag.");
    return json(200, presentResults(await experimentResults.of(linked, query.refresh)));
  },
});

export const experimentRoutes = [listExperiments, createExperiment, getExperiment, changeExperiment, getResults];
