/** `/cohorts/`: persons that flags ask about together. */
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { ActivityBody, presentAuditLogEntry } from '../../people/audit/audit-log.ts';
import { visibleAuditLog } from '../../people/audit/visible-audit-log.ts';
import type { Users } from '../../people/accounts/users.store.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { Changed, Cohorts } from './cohorts.ts';
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
  { title: 'ChangedCohort', description: 'With what became of the ids that came with the request.' },
);
const CSV = { field: 'csv', read: readIds };
const ABOUT_CSV =
  'A static cohort may come as a form with a CSV file in `csv`: a column `distinct_id` or `person_id`, or a single column of ' +
  'distinct ids; 20 MiB at most.';

function presentChanged({ cohort, listed }: Changed, users: Users): Static<typeof ChangedBody> {
  return { ...presentCohort(cohort, users), ...(listed && { listed: presentListed(listed) }) };
}

const listCohorts = route({
  method: 'get',
  path: '/cohorts/',
  access: { scope: 'cohort:read' },
  query: Type.Object({
    ...offsetQuery().properties,
    search: Type.Optional(Type.String({ maxLength: 400, description: 'Part of the name.' })),
  }),
  answers: { 200: offsetPageOf(CohortBody) },
  summary: 'List cohorts, the newest first',
  async handle({ project, query, url }, { cohorts }: CohortsApi) {
    const page = await cohorts.list(project.id, { ...query, limit: boundedLimit(query.limit) });
    const known = await cohorts.users(page.results.map(({ createdBy }) => createdBy));
    const results = page.results.map((cohort) => presentCohort(cohort, known));
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
  description: ABOUT_CSV,
  async handle({ project, caller, rights, body, file }, { cohorts }: CohortsApi) {
    const ids = file ?? namedIds(body._create_static_person_ids);
    const given = {
      name: body.name,
      description: body.description ?? '',
      isStatic: body.is_static ?? file !== undefined,
      filters: filtersIn(body),
    };
    const made = await cohorts.create(project, { ...caller, rights }, given, ids);
    return json(201, presentChanged(made, await cohorts.users([made.cohort.createdBy])));
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
  summary: 'Change, delete or restore a cohort',
  description: `Its persons are counted anew. ${ABOUT_CSV} Its persons are added; the body may be the file alone.`,
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
  summary: 'List the changes of a cohort, the newest first',
  async handle({ project, rights, params, query, url }, { cohorts }: CohortsApi) {
    const page = { limit: boundedLimit(query.limit), offset: query.offset };
    const { count, results } = await cohorts.activity(project.id, params.id, page, visibleAuditLog(rights));
    const users = await cohorts.users(results.map(({ userId }) => userId));
    return json(
      200,
      offsetPage(url, query, { count, results: results.map((entry) => presentAuditLogEntry(entry, users)) }),
    );
  },
});

function namedIds(ids: readonly string[] | undefined): NamedIds | undefined {
  return ids && ids.length > 0 ? { kind: 'person_id', ids: [...new Set(ids)] } : undefined;
}

function filtersIn({ filters, groups }: Pick<Static<typeof NewCohortBody>, 'filters' | 'groups'>): unknown {
  if (filters !== undefined && filters !== null) return filters;
  return groups && groups.length > 0 ? filtersOfGroups(groups) : undefined;
}

export const cohortRoutes = [listCohorts, createCohort, getCohort, patchCohort, listActivity];
