/** `/experiment_holdouts/`: percentages of persons that are excluded from some experiments. */
import { omitUndefined } from '../../../platform/omit-undefined.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../../platform/http/parameters/pagination.ts';
import { json, noBody, route } from '../../../platform/http/route.ts';
import type { Static } from '../../../platform/schema.ts';
import type { ExperimentHoldouts, HoldoutWithUsers } from './holdouts.ts';
import type { HoldoutFields } from './holdouts.store.ts';
import { presentHoldout } from './present.ts';
import { HoldoutBody, HoldoutPatchBody, IdParams, NewHoldoutBody } from './schema.ts';

export type HoldoutRoutesApi = { experimentHoldouts: ExperimentHoldouts };

const present = ({ holdout, users }: HoldoutWithUsers) => presentHoldout(holdout, users);

const listHoldouts = route({
  method: 'get',
  path: '/experiment_holdouts/',
  access: { scope: 'experiment:read' },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(HoldoutBody) },
  summary: 'List holdouts, newest first',
  async handle({ project, query, url }, { experimentHoldouts }: HoldoutRoutesApi) {
    const page = pageBounds(query);
    const { count, results } = await experimentHoldouts.list(project.id, page);
    return json(200, offsetPage(url, query, { count, results: results.map(present) }));
  },
});

const createHoldout = route({
  method: 'post',
  path: '/experiment_holdouts/',
  access: { scope: 'experiment:write' },
  body: NewHoldoutBody,
  answers: { 201: HoldoutBody },
  summary: 'Create a holdout',
  description:
    'The same persons are held out of all experiments with this holdout; they get the variant `holdout-<id>`.',
  async handle({ project, caller, body }, { experimentHoldouts }: HoldoutRoutesApi) {
    const fields = { name: body.name, description: body.description ?? '', exclusion_percentage: percentageOf(body) };
    return json(201, present(await experimentHoldouts.create(project, caller, fields)));
  },
});

const getHoldout = route({
  method: 'get',
  path: '/experiment_holdouts/:id/',
  access: { scope: 'experiment:read' },
  params: IdParams,
  answers: { 200: HoldoutBody },
  summary: 'Retrieve a holdout',
  async handle({ project, params }, { experimentHoldouts }: HoldoutRoutesApi) {
    return json(200, present(await experimentHoldouts.get(project.id, params.id)));
  },
});

const changeHoldout = route({
  method: 'patch',
  path: '/experiment_holdouts/:id/',
  access: { scope: 'experiment:write' },
  params: IdParams,
  body: HoldoutPatchBody,
  answers: { 200: HoldoutBody },
  summary: 'Update a holdout and the flags of its experiments',
  async handle({ project, caller, rights, params, body }, { experimentHoldouts }: HoldoutRoutesApi) {
    return json(
      200,
      present(await experimentHoldouts.change(project, { ...caller, rights }, params.id, changesOf(body))),
    );
  },
});

const deleteHoldout = route({
  method: 'delete',
  path: '/experiment_holdouts/:id/',
  access: { scope: 'experiment:write' },
  params: IdParams,
  answers: { 204: null },
  summary: 'Delete a holdout that is not used by any experiment',
  async handle({ project, caller, params }, { experimentHoldouts }: HoldoutRoutesApi) {
    await experimentHoldouts.delete(project, caller, params.id);
    return noBody(204);
  },
});

export const holdoutRoutes = [listHoldouts, createHoldout, getHoldout, changeHoldout, deleteHoldout];

function changesOf({ name, description, filters }: Static<typeof HoldoutPatchBody>): Partial<HoldoutFields> {
  return omitUndefined({
    name,
    description: description === null ? '' : description,
    exclusion_percentage: filters && percentageOf({ filters }),
  });
}

/** Returns the percentage of the only filter that the schema permits. */
function percentageOf({ filters }: Pick<Static<typeof NewHoldoutBody>, 'filters'>): number {
  return filters[0]!.rollout_percentage;
}
