/** `/cohorts/`: persons that flags ask about together. */
import {
  clampLimit,
  offsetPage,
  offsetPageOf,
  offsetQuery,
  pageBounds,
} from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { ActivityBody, presentAuditLog } from '../../people/audit/audit-log.ts';
import { visibleAuditLog } from '../../people/audit/visible-audit-log.ts';
import type { Users } from '../../people/accounts/users.store.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { ChangedCohort, Cohorts } from './cohorts.ts';
import {
  CohortBody,
  CohortParams,
  CohortPatchBody,
  ListedBody,
  NewCohortBody,
  presentCohort,
  presentListed,
} from './cohorts.schema.ts';
import { filtersOfGroups } from './groups.ts';
import { readIds, type NamedIds } from './read-ids.ts';

export type CohortsApi = { cohorts: Cohorts };

const ChangedBody = Type.Object(
  { ...CohortBody.properties, listed: Type.Optional(ListedBody) },
  { title: 'ChangedCohort', description: 'The cohort, with the outcome for the IDs in the request.' },
);
const CSV = { field: 'csv', read: readIds };
const CSV_DESCRIPTION =
  'A static cohort may be sent as a form with a CSV file in `csv`, with a column `distinct_id` or `person_id`, or a single column of ' +
  'distinct IDs; at most 20 MiB.';

function presentChanged({ cohort, listed }: ChangedCohort, users: Users): Static<typeof ChangedBody> {
  return { ...presentCohort(cohort, users), ...(listed && { listed: presentListed(listed) }) };
}

const listCohorts = route({
  method: 'get',
  path: '/cohorts/',
  access: { scope: 'cohort:read' },
  query: Type.Object({
    ...offsetQuery().properties,
    search: Type.Optional(
      Type.String({ maxLength: 400, description: 'Returns only cohorts whose name contains this text.' }),
    ),
  }),
  answers: { 200: offsetPageOf(CohortBody) },
  summary: 'List cohorts, newest first',
  async handle({ project, query, url }, { cohorts }: CohortsApi) {
    const page = await cohorts.list(project.id, { ...query, limit: clampLimit(query.limit) });
    const creators = await cohorts.users(page.results.map(({ createdBy }) => createdBy));
    const results = page.results.map((cohort) => presentCohort(cohort, creators));
    return json(200, offsetPage(url, query, { count: page.count, results }));
  },
});

const createCohort = route({
  method: 'post',
  path: '/cohorts/',
  access: { scope: 'cohort:write' },
  body: NewCohortBody,
  file: CSV,
  answers: { 201: ChangedBody },
  summary: 'Create a cohort',
  description: CSV_DESCRIPTION,
  async handle({ project, caller, rights, body, file }, { cohorts }: CohortsApi) {
    const ids = file ?? namedIdsOf(body._create_static_person_ids);
    const newCohort = {
      name: body.name,
      description: body.description ?? '',
      isStatic: body.is_static ?? file !== undefined,
      filters: filtersIn(body),
    };
    const created = await cohorts.create(project, { ...caller, rights }, newCohort, ids);
    return json(201, presentChanged(created, await cohorts.users([created.cohort.createdBy])));
  },
});

const getCohort = route({
  method: 'get',
  path: '/cohorts/:id/',
  access: { scope: 'cohort:read' },
  params: CohortParams,
  answers: { 200: CohortBody },
  summary: 'Retrieve a cohort',
  async handle({ project, params }, { cohorts }: CohortsApi) {
    const cohort = await cohorts.get(project.id, params.id);
    return json(200, presentCohort(cohort, await cohorts.users([cohort.createdBy])));
  },
});

const patchCohort = route({
  method: 'patch',
  path: '/cohorts/:id/',
  access: { scope: 'cohort:write' },
  params: CohortParams,
  body: CohortPatchBody,
  file: CSV,
  answers: { 200: ChangedBody },
  summary: 'Update, delete or restore a cohort',
  description: `The persons of the cohort are counted again. ${CSV_DESCRIPTION} Its persons are added to the cohort; the body may consist of the file alone.`,
  async handle({ project, caller, rights, params, body, file }, { cohorts }: CohortsApi) {
    const changes = {
      name: body.name,
      description: body.description,
      isStatic: body.is_static,
      filters: filtersIn(body),
      deleted: body.deleted,
    };
    const changed = await cohorts.change(project, { ...caller, rights }, params.id, changes, file);
    return json(200, presentChanged(changed, await cohorts.users([changed.cohort.createdBy])));
  },
});

const listActivity = route({
  method: 'get',
  path: '/cohorts/:id/activity/',
  access: { scope: 'activity_log:read' },
  params: CohortParams,
  query: offsetQuery(10),
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes of a cohort, newest first',
  async handle({ project, rights, params, query, url }, { cohorts }: CohortsApi) {
    const page = await cohorts.activity(project.id, params.id, pageBounds(query), visibleAuditLog(rights));
    return json(200, offsetPage(url, query, await presentAuditLog(page, { findByIds: cohorts.users })));
  },
});

function namedIdsOf(ids: readonly string[] | undefined): NamedIds | undefined {
  return ids && ids.length > 0 ? { kind: 'person_id', ids: [...new Set(ids)] } : undefined;
}

function filtersIn({ filters, groups }: Pick<Static<typeof NewCohortBody>, 'filters' | 'groups'>): unknown {
  if (filters !== undefined && filters !== null) return filters;
  return groups && groups.length > 0 ? filtersOfGroups(groups) : undefined;
}

export const cohortRoutes = [listCohorts, createCohort, getCohort, patchCohort, listActivity];
