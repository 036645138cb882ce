/** Changes of insights, inside a transaction of the stores; each change writes an entry in the audit log. */
import type { Project } from '../../platform/http/access.ts';
import { changesBetween, type Author } from '../../people/audit/audit-log.ts';
import { type AuditVerb, type Change } from '../../people/audit/entry.ts';
import type { BoundDashboardStores } from '../dashboards/stores.ts';
import type { Insight, InsightFields } from './insight.ts';

const SCOPE = 'Insight';
const COPY = ' (Copy)';
const LONGEST_NAME = 400;

const NEW_INSIGHT: InsightFields = {
  name: null,
  derived_name: null,
  description: '',
  query: null,
  tags: [],
  favorited: false,
  saved: false,
};

export type InsightInput = Partial<InsightFields & Pick<Insight, 'is_sample'>>;

type Tenant = Pick<Project, 'id' | 'organizationId'>;

/** @param input with a query that was checked */
export async function createInsight(
  stores: BoundDashboardStores,
  project: Tenant,
  author: Author,
  input: InsightInput,
): Promise<Insight> {
  const insight = await stores.insights.insert({
    ...NEW_INSIGHT,
    is_sample: false,
    ...input,
    project_id: project.id,
    created_by: author.userId,
  });
  await record(stores, project, author, 'created', insight, []);
  return insight;
}

/** Creates a copy, with the caller as its author; a name gets a suffix. */
export async function copyInsight(
  stores: BoundDashboardStores,
  project: Tenant,
  author: Author,
  { name, derived_name, description, query, tags, is_sample }: Insight,
): Promise<Insight> {
  const copiedFields = { derived_name, description, query, tags, is_sample };
  const copyName = name && `${name.slice(0, LONGEST_NAME - COPY.length)}${COPY}`;
  return createInsight(stores, project, author, { ...copiedFields, name: copyName });
}

/** The dashboards that showed the insight before the change, and those that show it now. */
export type DashboardsChange = { from: readonly number[]; to: readonly number[] };

/** Changes an insight; without a difference nothing is stored or logged. @throws NotFound */
export async function changeInsight(
  stores: BoundDashboardStores,
  project: Tenant,
  author: Author,
  before: Insight,
  changes: Partial<InsightFields & Pick<Insight, 'deleted'>>,
  membership: DashboardsChange = { from: [], to: [] },
): Promise<Insight> {
  const recordedChanges = changesBetween(
    SCOPE,
    { ...loggedFieldsOf(before), dashboards: membership.from },
    { ...loggedFieldsOf({ ...before, ...changes }), dashboards: membership.to },
  );
  if (recordedChanges.length === 0) return before;
  const after = await stores.insights.update(project.id, before.id, changes, author.userId);
  await record(stores, project, author, verbOf(before, after), after, recordedChanges);
  return after;
}

function verbOf(before: Insight, after: Insight): AuditVerb {
  if (before.deleted === after.deleted) return 'updated';
  return after.deleted ? 'deleted' : 'restored';
}

function record(
  stores: BoundDashboardStores,
  project: Tenant,
  author: Author,
  activity: AuditVerb,
  insight: Insight,
  changes: readonly Change[],
): Promise<void> {
  const name = insight.name ?? insight.derived_name ?? '';
  const { id: itemId, version } = insight;
  return stores.auditLog.record({
    project,
    author,
    scope: SCOPE,
    type: 'insight',
    itemId,
    activity,
    name,
    version,
    changes,
  });
}

function loggedFieldsOf({ name, derived_name, description, query, tags, favorited, saved, deleted }: Insight) {
  return { name, derived_name, description, query, tags, favorited, saved, deleted };
}
