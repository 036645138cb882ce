/** One organization's members, with every scope, try to reach the objects of another: by id, wherever a request has room for one. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildPersonalKey, buildTenant, type Tenant } from '../support/api/identity.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';
import { testTemporal } from '../support/servers/temporal.ts';
import { MAKE } from './objects.ts';

type Body = Record<string, unknown>;
type Answer = { status: number; text: string };
/** The objects of one of the two organizations; every name in them is its canary. */
type Belongings = Record<
  'dashboard' | 'insight' | 'flag' | 'cohort' | 'survey' | 'experiment' | 'holdout' | 'feature' | 'integration' | 'export' | 'tile' | 'role' | 'member' | 'user' | 'organization' | 'project', // prettier-ignore
  string
>;

const CANARY = 'canary-of-theirs';

describe('two organizations', () => {
  let sluice: Sluice;
  let [ours, theirs] = [{}, {}] as [Belongings, Belongings];
  let key: string;

  before(async () => {
    sluice = await startSluice({ temporal: await testTemporal() });
    const [us, them] = [await buildTenant(sluice.db, { name: 'ours' }), await buildTenant(sluice.db, { name: CANARY })];
    ours = await belongingsOf(us, 'ours');
    theirs = await belongingsOf(them, CANARY);
    key = await buildPersonalKey(sluice.db, us, '*');
  });
  after(() => sluice.stop());

  async function send(method: string, path: string, body?: unknown, bearer = key): Promise<Answer> {
    const answer = await fetch(`${sluice.url}/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async function belongingsOf(tenant: Tenant, name: string): Promise<Belongings> {
    const { db } = sluice;
    const { projectId, organizationId, userId } = tenant;
    await db('organization_memberships').where({ user_id: userId }).update({ role: 'owner' });
    const own = await buildPersonalKey(db, tenant, '*');
    const made = async (path: string, body: Body) => {
      const { status, text } = await send('POST', path, body, own);
      assert.equal(status, 201, `${path}: ${text}`);
      return JSON.parse(text) as Body & { id: number | string };
    };
    const inProject = async (path: string, body: Body) => (await made(`/projects/${projectId}${path}`, body)).id;
    const dashboard = await made(`/projects/${projectId}/dashboards/`, { name, tiles: [{ text: { body: name } }] });
    const flag = await inProject('/feature_flags/', { key: `${name}-flag`, name, filters: { groups: [{}] } });
    const membership = (await db('organization_memberships').where({ user_id: userId }).first('id')) as { id: string };
    const user = (await db('users').where({ id: userId }).first('uuid')) as { uuid: string };
    const ids: Record<keyof Belongings, number | string> = {
      organization: organizationId,
      project: projectId,
      user: user.uuid,
      member: membership.id,
      role: (await made(`/organizations/${organizationId}/roles/`, { name })).id,
      dashboard: dashboard.id,
      tile: (dashboard['tiles'] as { id: number }[])[0]!.id,
      insight: await inProject('/insights/', {
        name,
        query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }] },
      }),
      flag,
      cohort: await inProject('/cohorts/', { name, is_static: true }),
      survey: await inProject('/surveys/', { name, type: 'popover', questions: [{ type: 'open', question: name }] }),
      experiment: await inProject('/experiments/', { name, feature_flag_key: `${name}-experiment` }),
      holdout: await inProject('/experiment_holdouts/', {
        name,
        filters: [{ properties: [], rollout_percentage: 10 }],
      }),
      feature: await inProject('/early_access_feature/', { name, stage: 'beta' }),
      integration: await inProject('/integrations/', {
        kind: 'aws-s3',
        config: { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'x' },
      }),
      export: await MAKE['batch_export']!(db, projectId),
    };
    return Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind, String(id)])) as Belongings;
  }

  /** Checks that the request gave nothing away, and changed nothing of theirs. */
  async function assertRefused(
    method: string,
    path: string,
    expected: readonly number[],
    body?: unknown,
  ): Promise<void> {
    const before = await fingerprint();
    const { status, text } = await send(method, path, body);
    assert.ok(expected.includes(status), `${status} ${text}`);
    assert.ok(!text.includes(CANARY), text);
    assert.deepEqual(await fingerprint(), before);
  }

  /** Of all rows of theirs that somebody could change. */
  async function fingerprint(): Promise<unknown> {
    const tables = ['dashboards', 'insights', 'feature_flags', 'cohorts', 'surveys', 'experiments', 'early_access_features', 'integrations', 'batch_exports', 'access_controls', 'sharing_configurations'] as const; // prettier-ignore
    const sums = tables.map(
      (table) =>
        `(select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${table} as t where project_id = :project)`,
    );
    const { rows } = await sluice.db.raw<{ rows: unknown[] }>(
      `select ${sums.map((sum, n) => `${sum} as s${n}`).join(', ')},
        (select md5(string_agg(t::text, '|' order by t::text)) from dashboard_tiles as t join dashboards as d on d.id = dashboard_id
          where d.project_id = :project) as tiles,
        (select md5(string_agg(t::text, '|' order by t::text)) from organization_memberships as t where organization_id = :organization) as members,
        (select md5(string_agg(t::text, '|' order by t::text)) from roles as t where organization_id = :organization) as roles`,
      { project: theirs.project, organization: theirs.organization },
    );
    return rows;
  }

  describe('the other organization’s id in our path', () => {
    const paths: [method: string, path: (ids: Belongings) => string, body?: Body][] = [
      ['GET', ({ dashboard }) => `/dashboards/${dashboard}/`],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/`, { name: 'taken' }],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/`, { deleted: false }],
      [
        'PATCH',
        ({ dashboard, tile }) => `/dashboards/${dashboard}/move_tile/?${tile}`,
        { tile: { id: 1 }, to_dashboard: 1 },
      ],
      ['GET', ({ dashboard }) => `/dashboards/${dashboard}/run_insights/`],
      ['GET', ({ dashboard }) => `/dashboards/${dashboard}/sharing/`],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/sharing/`, { enabled: true }],
      ['POST', ({ dashboard }) => `/dashboards/${dashboard}/sharing/refresh/`],
      ['GET', ({ dashboard }) => `/dashboards/${dashboard}/collaborators/`],
      ['GET', ({ dashboard }) => `/dashboards/${dashboard}/access_controls/`],
      ['PUT', ({ dashboard }) => `/dashboards/${dashboard}/access_controls/`, { access_level: 'viewer' }],
      ['GET', ({ insight }) => `/insights/${insight}/`],
      ['PATCH', ({ insight }) => `/insights/${insight}/`, { name: 'taken' }],
      ['PATCH', ({ insight }) => `/insights/${insight}/sharing/`, { enabled: true }],
      ['GET', ({ flag }) => `/feature_flags/${flag}/`],
      ['PATCH', ({ flag }) => `/feature_flags/${flag}/`, { active: false }],
      ['GET', ({ flag }) => `/feature_flags/${flag}/activity/`],
      ['GET', ({ cohort }) => `/cohorts/${cohort}/`],
      ['PATCH', ({ cohort }) => `/cohorts/${cohort}/`, { name: 'taken' }],
      ['GET', ({ cohort }) => `/cohorts/${cohort}/persons/`],
      ['GET', ({ survey }) => `/surveys/${survey}/`],
      ['DELETE', ({ survey }) => `/surveys/${survey}/`],
      ['GET', ({ experiment }) => `/experiments/${experiment}/results/`],
      ['DELETE', ({ holdout }) => `/experiment_holdouts/${holdout}/`],
      ['DELETE', ({ feature }) => `/early_access_feature/${feature}/`],
      ['GET', ({ integration }) => `/integrations/${integration}/`],
      ['DELETE', ({ integration }) => `/integrations/${integration}/`],
      ['GET', ({ export: id }) => `/batch_exports/${id}/`],
      ['DELETE', ({ export: id }) => `/batch_exports/${id}/`],
      ['POST', ({ export: id }) => `/batch_exports/${id}/pause/`, {}],
      ['GET', ({ export: id }) => `/batch_exports/${id}/runs/`],
      ['GET', ({ export: id }) => `/batch_exports/${id}/access_controls/`],
    ];
    for (const [method, pathOf, body] of paths) {
      const shown = pathOf(new Proxy({} as Belongings, { get: (_, name) => `<${String(name)}>` }));
      it(`is not found: ${method} ${shown}`, () =>
        assertRefused(method, `/projects/${ours.project}${pathOf(theirs)}`, [404], body));
      it(`does not open their project either: ${method} ${shown}`, () =>
        assertRefused(method, `/projects/${theirs.project}${pathOf(theirs)}`, [403], body));
    }
  });

  describe('the other organization’s id in our body', () => {
    const bodies: [method: string, path: (own: Belongings) => string, body: (other: Belongings, own: Belongings) => Body, expected: number[]][] = [
      ['POST', () => '/dashboards/', ({ dashboard }) => ({ use_dashboard: Number(dashboard) }), [400]],
      ['POST', () => '/dashboards/', ({ insight }) => ({ name: 'x', tiles: [{ insight: Number(insight) }] }), [400, 404]],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/`, ({ tile }) => ({ tiles: [{ id: Number(tile), color: 'red' }] }), [200, 400]],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/`, ({ tile }) => ({ tiles: [{ id: Number(tile), deleted: true }] }), [200, 400]],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/`, ({ tile }) => ({ duplicate_tiles: [{ id: Number(tile) }] }), [200, 400, 404]],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/move_tile/`, ({ dashboard }, own) => ({ tile: { id: Number(own.tile) }, to_dashboard: Number(dashboard) }), [404]],
      ['PATCH', ({ dashboard }) => `/dashboards/${dashboard}/move_tile/`, ({ tile }, own) => ({ tile: { id: Number(tile) }, to_dashboard: Number(own.dashboard) }), [404]],
      ['POST', ({ dashboard }) => `/dashboards/${dashboard}/copy_tile/`, ({ dashboard, tile }) => ({ fromDashboardId: Number(dashboard), tileId: Number(tile) }), [404]],
      ['POST', ({ dashboard }) => `/dashboards/${dashboard}/reorder_tiles/`, ({ tile }) => ({ tile_order: [Number(tile)] }), [404]],
      ['POST', ({ dashboard }) => `/dashboards/${dashboard}/update_text_tile/`, ({ tile }) => ({ tile_id: Number(tile), body: 'taken' }), [404]],
      ['POST', ({ dashboard }) => `/dashboards/${dashboard}/delete_tile/`, ({ tile }) => ({ tile_id: Number(tile) }), [404]],
      ['POST', ({ dashboard }) => `/dashboards/${dashboard}/collaborators/`, ({ user }) => ({ user_uuid: user, level: 37 }), [400]],
      ['PUT', ({ dashboard }) => `/dashboards/${dashboard}/access_controls/`, ({ member }) => ({ access_level: 'viewer', organization_member: member }), [400]],
      ['PUT', ({ dashboard }) => `/dashboards/${dashboard}/access_controls/`, ({ role }) => ({ access_level: 'viewer', role }), [400]],
      ['POST', () => '/insights/', ({ dashboard }) => ({ name: 'x', dashboards: [Number(dashboard)] }), [400]],
      ['PATCH', ({ insight }) => `/insights/${insight}/`, ({ dashboard }) => ({ dashboards: [Number(dashboard)] }), [400]],
      ['POST', () => '/feature_flags/', ({ cohort }) => ({ key: 'by-cohort', filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: Number(cohort) }] }] } }), [400]],
      ['POST', () => '/feature_flags/', ({ flag }) => ({ key: 'by-flag', filters: { groups: [{ properties: [{ key: flag, type: 'flag', operator: 'flag_evaluates_to', value: true }] }] } }), [400]],
      ['POST', () => '/surveys/', ({ flag }) => ({ name: 'x', type: 'popover', questions: [], linked_flag_id: Number(flag) }), [400]],
      ['POST', () => '/early_access_feature/', ({ flag }) => ({ name: 'x', stage: 'beta', feature_flag_id: Number(flag) }), [400]],
      ['POST', () => '/experiments/', ({ holdout }) => ({ name: 'x', feature_flag_key: 'held', holdout_id: Number(holdout) }), [400]],
      ['POST', () => '/batch_exports/', ({ integration }) => ({ name: 'x', model: 'events', interval: 'hour', destination: { type: 'S3', integration_id: Number(integration), config: { bucket_name: 'b', region: 'us-east-1', prefix: '' } } }), [400, 404]],
    ]; // prettier-ignore
    for (const [method, pathOf, bodyOf, expected] of bodies) {
      const named = new Proxy({} as Belongings, { get: (_, name) => `<${String(name)}>` });
      it(`changes and shows nothing: ${method} ${pathOf(named)} ${Object.keys(bodyOf(named, named)).join()}`, () =>
        assertRefused(method, `/projects/${ours.project}${pathOf(ours)}`, expected, bodyOf(theirs, ours)));
    }
  });

  describe('an object of their organization', () => {
    const paths: [method: string, path: (ids: Belongings, own: Belongings) => string, body?: Body][] = [
      ['GET', ({ organization }) => `/organizations/${organization}/`],
      ['PATCH', ({ organization }) => `/organizations/${organization}/`, { name: 'taken' }],
      ['GET', ({ organization }) => `/organizations/${organization}/members/`],
      ['GET', ({ organization }) => `/organizations/${organization}/roles/`],
      ['GET', ({ role }, { organization }) => `/organizations/${organization}/roles/${role}/`],
      ['DELETE', ({ role }, { organization }) => `/organizations/${organization}/roles/${role}/`],
      ['GET', ({ user }, { organization }) => `/organizations/${organization}/members/${user}/`],
      ['PATCH', ({ user }, { organization }) => `/organizations/${organization}/members/${user}/`, { level: 1 }],
      ['DELETE', ({ user }, { organization }) => `/organizations/${organization}/members/${user}/`],
      ['GET', ({ project }) => `/projects/${project}/`],
    ];
    for (const [method, pathOf, body] of paths) {
      const named = new Proxy({} as Belongings, { get: (_, name) => `<${String(name)}>` });
      it(`is not found: ${method} ${pathOf(named, named)}`, () =>
        assertRefused(method, pathOf(theirs, ours), [404], body));
    }
  });

  it('list nothing of each other', async () => {
    for (const path of [
      'dashboards',
      'insights',
      'feature_flags',
      'cohorts',
      'surveys',
      'experiments',
      'batch_exports',
      'activity_log',
    ]) {
      const { status, text } = await send('GET', `/projects/${ours.project}/${path}/?search=${CANARY}`);
      assert.equal(status, 200, text);
      assert.ok(!text.includes(`"${CANARY}`), text);
    }
    for (const path of ['/projects/', '/organizations/']) assert.ok(!(await send('GET', path)).text.includes(CANARY));
    assert.equal((await send('GET', `/projects/${ours.project}/dashboards/${randomUUID()}/`)).status, 404);
  });
});
