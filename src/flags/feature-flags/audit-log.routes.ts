/** `/feature_flags/activity/`: the audit log of flags. */
import type { Project } from '../../platform/http/access.ts';
import {
  offsetPage,
  offsetPageOf,
  offsetQuery,
  type OffsetQuery,
  pageBounds,
} from '../../platform/http/parameters/pagination.ts';
import { json, route, type Answer } from '../../platform/http/route.ts';
import { ActivityBody, presentAuditLog } from '../../people/audit/audit-log.ts';
import { visibleAuditLog, type VisibleAuditLog } from '../../people/audit/visible-audit-log.ts';
import type { FlagManagementApi } from './feature-flags.routes.ts';
import type { FlagManagement } from './flag-management.ts';
import { FlagParams, FLAG_IN_PATH } from './schema.ts';

const Query = offsetQuery(10);

const listActivity = route({
  method: 'get',
  path: '/feature_flags/activity/',
  operationId: 'feature_flags_all_activity_list',
  access: { scope: 'activity_log:read' },
  query: Query,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes of all feature flags, newest first',
  async handle({ project, rights, query, url }, { featureFlags }: FlagManagementApi) {
    return activityPage(featureFlags, project, { query, url, wanted: { visibleKinds: visibleAuditLog(rights) } });
  },
});

const listActivityOfFlag = route({
  method: 'get',
  path: '/feature_flags/:id/activity/',
  access: { scope: 'activity_log:read', object: FLAG_IN_PATH },
  params: FlagParams,
  query: Query,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes of a feature flag, newest first',
  description: 'To undo a change, send a PATCH with its `before` values.',
  async handle({ project, params, query, url }, { featureFlags }: FlagManagementApi) {
    await featureFlags.get(project.id, params.id);
    return activityPage(featureFlags, project, { query, url, wanted: { itemId: params.id, visibleKinds: [] } });
  },
});

async function activityPage(
  featureFlags: FlagManagement,
  project: Project,
  {
    query,
    url,
    wanted,
  }: { query: OffsetQuery; url: URL; wanted: { itemId?: number; visibleKinds: VisibleAuditLog[] } },
): Promise<Answer> {
  const page = await featureFlags.listAuditLog(project.id, { scope: 'FeatureFlag', ...wanted }, pageBounds(query));
  return json(200, offsetPage(url, query, await presentAuditLog(page, { findByIds: featureFlags.users })));
}

export const flagAuditLogRoutes = [listActivity, listActivityOfFlag];
