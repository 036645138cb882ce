/** Lists the persons of a cohort, and edits the list of a static cohort. */
import { NotFound } from '../../platform/errors.ts';
import { PersonBody, presentPerson } from '../../events/records/persons.routes.ts';
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { ensureRaw, rawAccess } from '../../people/access/raw-data.ts';
import { Type } from '../../platform/schema.ts';
import type { CohortPersons } from './cohort-persons.ts';
import type { Cohorts } from './cohorts.ts';
import { AddedPersonsBody, CohortParams, ListedBody, presentListed, RemovedPersonBody } from './cohorts.schema.ts';

export type ListedPersonsApi = { cohorts: Cohorts; cohortPersons: CohortPersons };

const listPersons = route({
  method: 'get',
  path: '/cohorts/:id/persons/',
  access: { scope: 'cohort:read' },
  params: CohortParams,
  query: cursorQuery(100),
  answers: { 200: cursorPageOf(PersonBody) },
  summary: 'List the persons of a cohort, newest first',
  description:
    'Shows the current properties of the persons, which may have changed since the last count. The caller also ' +
    'needs the access level and scope for persons. Responds with 503 after five seconds.',
  async handle({ project, caller, rights, params, query, url }, { cohorts, cohortPersons }: ListedPersonsApi) {
    ensureRaw(rawAccess({ caller, rights }), ['person']);
    const { id } = await cohorts.get(project.id, params.id);
    const load = (page: PageWindow) => cohortPersons(project.id, id, page);
    return json(200, await cursorPage(url, query, load, presentPerson));
  },
});

const addPersons = route({
  method: 'patch',
  path: '/cohorts/:id/add_persons_to_static_cohort/',
  access: { scope: 'cohort:write' },
  params: CohortParams,
  body: AddedPersonsBody,
  answers: { 200: Type.Object({ success: Type.Literal(true), ...ListedBody.properties }) },
  summary: 'Add persons to a static cohort',
  async handle({ project, caller, params, body }, { cohorts }: ListedPersonsApi) {
    const listed = await cohorts.addPersons(project, caller, params.id, body.person_ids);
    return json(200, { success: true, ...presentListed(listed) });
  },
});

const removePerson = route({
  method: 'patch',
  path: '/cohorts/:id/remove_person_from_static_cohort/',
  access: { scope: 'cohort:write' },
  params: CohortParams,
  body: RemovedPersonBody,
  answers: { 200: Type.Object({ success: Type.Literal(true) }) },
  summary: 'Remove a person from a static cohort',
  async handle({ project, caller, params, body }, { cohorts }: ListedPersonsApi) {
    const wasIn = await cohorts.removePerson(project, caller, params.id, body.person_id);
    if (!wasIn) throw new NotFound('This person is not in the cohort.');
    return json(200, { success: true });
  },
});

export const listedPersonRoutes = [listPersons, addPersons, removePerson];
