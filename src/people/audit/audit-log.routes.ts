/** `/activity_log/`: who changed what in a project, or in an organization as a whole. */
import { InvalidInput } from '../../platform/errors.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { ActivityBody, presentAuditLog } from './audit-log.ts';
import type { AuditLogStore } from './audit-log.store.ts';
import { visibleAuditLog } from './visible-audit-log.ts';
import type { UserStore } from '../accounts/users.store.ts';

export type AuditLogApi = { auditLog: AuditLogStore; users: UserStore };

const query = Type.Object({
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
  query,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes to the objects of a project, newest first',
  description: 'Excludes changes to objects that are hidden from the caller.',
  async handle({ project, rights, query: filter, url }, { auditLog, users }: AuditLogApi) {
    const auditFilter = { ...filterOf(filter), visibleKinds: visibleAuditLog(rights) };
    const page = await auditLog.list(project.id, auditFilter, pageBounds(filter));
    return json(200, offsetPage(url, filter, await presentAuditLog(page, users)));
  },
});

const listOrganizationActivity = route({
  method: 'get',
  path: '/activity_log/',
  access: { organization: 'activity_log:read', role: 'admin' },
  query,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes to an organization, its members, roles, invites and keys, newest first',
  async handle({ organization, query: filter, url }, { auditLog, users }: AuditLogApi) {
    const page = await auditLog.listOfOrganization(organization.id, filterOf(filter), pageBounds(filter));
    return json(200, offsetPage(url, filter, await presentAuditLog(page, users)));
  },
});

export const auditLogRoutes = [listActivity, listOrganizationActivity];

type ActivityQuery = Static<typeof query>;

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
