/** `/activity_log/`: the audit log of a project, or of an organization without its projects. */
import { InvalidInput } from '../../platform/errors.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { ActivityBody, presentAuditLog } from './audit-log.ts';
import type { AuditLogStore } from './audit-log.store.ts';
import { visibleAuditLog } from './visible-audit-log.ts';
import type { UserStore } from '../accounts/users.store.ts';

export type AuditLogApi = { auditLog: AuditLogStore; users: UserStore };

const ActivityQuery = Type.Object({
  ...offsetQuery().properties,
  scope: Type.Optional(
    Type.String({ description: 'Returns only changes to this kind of object: `FeatureFlag`, `Survey`, ...' }),
  ),
  item_id: Type.Optional(
    Type.String({ description: 'Returns only changes to objects with this ID; requires `scope`.' }),
  ),
  user: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      description: 'Returns only changes made by the user with this ID.',
    }),
  ),
});

const listActivity = route({
  method: 'get',
  path: '/activity_log/',
  access: { scope: 'activity_log:read' },
  query: ActivityQuery,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes to the objects of a project, newest first',
  description: 'Excludes changes to objects that are hidden from the caller.',
  async handle({ project, rights, query, url }, { auditLog, users }: AuditLogApi) {
    const auditFilter = { ...filterOf(query), visibleKinds: visibleAuditLog(rights) };
    const page = await auditLog.list(project.id, auditFilter, pageBounds(query));
    return json(200, offsetPage(url, query, await presentAuditLog(page, users)));
  },
});

const listOrganizationActivity = route({
  method: 'get',
  path: '/activity_log/',
  access: { organization: 'activity_log:read', role: 'admin' },
  query: ActivityQuery,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes to an organization, its members, roles, invites and keys, newest first',
  async handle({ organization, query, url }, { auditLog, users }: AuditLogApi) {
    const page = await auditLog.listOfOrganization(organization.id, filterOf(query), pageBounds(query));
    return json(200, offsetPage(url, query, await presentAuditLog(page, users)));
  },
});

export const auditLogRoutes = [listActivity, listOrganizationActivity];

type ActivityQuery = Static<typeof ActivityQuery>;

function filterOf({ scope, item_id: itemId, user: userId }: ActivityQuery) {
  if (itemId !== undefined && scope === undefined) {
    throw new InvalidInput(
      'Objects of different kinds may have the same id, so `scope` is required with `item_id`.',
      'scope',
      'required',
    );
  }
  return { scope, itemId, userId };
}
