/** Flags of every kind, and persons to evaluate them for; all SDKs share them. Expected values follow from the published hash. */
import { buildCohort, buildFlag } from '../database/flag-rows.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../api/identity.ts';
import type { Sluice } from '../servers/sluice.ts';

export type FlagWorld = Tenant & { personalKey: string; secretKey: string };

const everybody = { properties: [], rollout_percentage: 100 };
const forPro = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const inCohort = (id: number) => [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: id }] }];
const multivariate = {
  variants: [
    { key: 'red', rollout_percentage: 50 },
    { key: 'blue', rollout_percentage: 50 },
  ],
};

/** The stored persons. Ada is on the plan pro, was invited and chose `early`; her company acme has the tier gold. Bob has no properties. */
export const GROUPS = { company: 'acme' };
export const PERSON_PROPERTIES = { plan: 'pro' };
export const ENROLLED = '$feature_enrollment/early';
export const GROUP_PROPERTIES = { company: { tier: 'gold' } };

/** Ada's values that SDKs can decide locally when given her properties. */
export const DECIDED_LOCALLY = {
  colours: 'blue',
  everybody: true,
  'for-gold': true,
  'for-pro': true,
  half: false,
  'in-cohort': true,
  'of-users': false,
};
/** Ada's values that depend on stored data: her choice, a static cohort, experience continuity. */
export const DECIDED_REMOTELY = { early: true, invited: true, kept: 'blue' };
export const ADA = { ...DECIDED_LOCALLY, ...DECIDED_REMOTELY };
export const ADAS_PAYLOADS = { colours: 'sky', everybody: { a: 1 } };
/** Bob's values; he has no company. */
export const BOB = {
  colours: 'red',
  early: false,
  everybody: true,
  'for-gold': false,
  'for-pro': false,
  half: true,
  'in-cohort': false,
  invited: false,
  kept: 'blue',
  'of-users': false,
};

/** Stores these persons and flags, and a flag `asleep`, which is not active. */
export async function buildFlagWorld({ db, url }: Sluice): Promise<FlagWorld> {
  const tenant = await buildTenant(db);
  const { projectId } = tenant;
  await captureEvent(url, tenant, '$groupidentify', {
    $group_type: 'company',
    $group_key: GROUPS.company,
    $group_set: GROUP_PROPERTIES.company,
  });
  await captureEvent(url, tenant, 'signed up', { $set: { ...PERSON_PROPERTIES, [ENROLLED]: true } });
  const pro = await buildCohort(db, projectId, { type: 'OR', values: [{ type: 'AND', values: [forPro] }] });
  const invited = await buildCohort(db, projectId);
  await db.raw(
    `insert into cohort_members (project_id, cohort_id, person_id)
     select project_id, ?, person_id from person_distinct_ids where project_id = ? and distinct_id = 'ada'`,
    [invited, projectId],
  );
  const gold = { key: 'tier', type: 'group', group_type_index: 0, operator: 'exact', value: 'gold' };
  const flags: [key: string, filters: object, more?: object][] = [
    ['everybody', { groups: [everybody], payloads: { true: '{"a": 1}' } }],
    ['half', { groups: [{ ...everybody, rollout_percentage: 50 }] }],
    ['colours', { groups: [everybody], multivariate, payloads: { blue: '"sky"' } }],
    ['for-pro', { groups: [{ properties: [forPro], rollout_percentage: 100 }] }],
    ['for-gold', { aggregation_group_type_index: 0, groups: [{ properties: [gold], rollout_percentage: 100 }] }],
    ['in-cohort', { groups: inCohort(pro) }],
    // The value shows for whom flags were decided: it is true for distinct ids that begin with `user-`.
    [
      'of-users',
      { groups: [{ properties: [{ key: 'distinct_id', type: 'person', operator: 'regex', value: '^user-' }] }] },
    ],
    ['early', { groups: [{ ...everybody, rollout_percentage: 0 }], feature_enrollment: true }],
    ['invited', { groups: inCohort(invited) }],
    ['kept', { groups: [everybody], multivariate }, { ensure_experience_continuity: true }],
    ['asleep', { groups: [everybody] }, { active: false }],
  ];
  for (const [key, filters, more] of flags) await buildFlag(db, projectId, { key, filters, ...more });
  return {
    ...tenant,
    personalKey: await buildPersonalKey(db, tenant, 'feature_flag:read'),
    secretKey: await buildProjectSecretKey(db, tenant, 'feature_flag:read'),
  };
}

async function captureEvent(url: string, tenant: Tenant, event: string, properties: object): Promise<void> {
  const body = JSON.stringify({ api_key: tenant.apiToken, distinct_id: 'ada', event, properties });
  const { status } = await fetch(`${url}/capture/`, { method: 'POST', body });
  if (status !== 200) throw new Error(`capture answered ${status}`);
}

/** Paths of the answered requests, in order, without queries. */
export function answeredPaths({ answered }: Sluice): string[] {
  return answered.map(({ url }) => new URL(url, 'http://sluice').pathname);
}
