import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { featureFlagStore } from '../../../src/flags/feature-flags/feature-flags.store.ts';
import { feedRoutes } from '../../../src/flags/definitions/feed.routes.ts';
import { createLiveDefinitions, type LiveDefinitions } from '../../../src/flags/definitions/live-definitions.ts';
import { createMetering, type Metering } from '../../../src/flags/metering/metering.ts';
import { requestStore } from '../../../src/flags/metering/requests.store.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { generateKey } from '../../../src/people/keys/keys.ts';
import { createRateLimit } from '../../../src/people/keys/rate-limits.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { startApi, type Api, type ApiAnswer } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildCohort, buildFlag } from '../../support/database/flag-rows.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { until } from '../../support/until.ts';

type Property = { key: string; dependency_chain?: string[] };
type Flag = { key: string; filters: { groups: { properties: Property[] }[] } };
type Body = { flags: Flag[]; cohorts: Record<string, unknown> };

const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
const condition = (...properties: object[]) => ({ groups: [{ properties, rollout_percentage: 100 }] });
const inCohort = (id: number) => ({ type: 'cohort', key: 'id', value: id, operator: 'in' });
const dependsOn = (id: number) => ({ type: 'flag', key: String(id), operator: 'flag_evaluates_to', value: true });

describe('the definitions feed', () => {
  let database: TestDatabase;
  let db: Knex;
  let api: Api;
  let live: LiveDefinitions;
  let metering: Metering;
  let ours: Tenant;
  let key: string;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    live = createLiveDefinitions({ databaseUrl: database.url, log });
    metering = createMetering({ store: requestStore(db), log, flushEveryMs: 20 });
    const gatekeeper = createGatekeeper(identityStores(db));
    const feedLimit = createRateLimit<number>(1, undefined, 20);
    const collaborators = { liveDefinitions: live, metering, gatekeeper, feedLimit, hiddenFlags: featureFlagStore(db) };
    api = await startApi({ routes: feedRoutes, collaborators, gatekeeper });
    ours = await buildTenant(db);
    key = await buildPersonalKey(db, ours, 'feature_flag:read');
  });
  after(async () => {
    await api.stop();
    await metering.close();
    await live.close();
    await db.destroy();
    await database.drop();
  });

  const get = (path: string, bearer?: string, headers = {}): Promise<ApiAnswer> =>
    api.request('GET', path, { ...(bearer !== undefined && { key: bearer }), headers });
  const feedOf = async (tenant: Tenant, headers = {}) =>
    get('/flags/definitions', await buildProjectSecretKey(db, tenant, 'feature_flag:read'), headers);

  it('is refused without a key that may read the flags of the project', async () => {
    const theirs = await buildTenant(db);
    const foreign = await buildPersonalKey(db, theirs, 'feature_flag:read');
    const secret = await buildProjectSecretKey(db, ours, 'feature_flag:read');
    const cases: [path: string, bearer: string | undefined, status: number, code: string][] = [
      [`/flags/definitions?token=${ours.apiToken}`, undefined, 401, 'not_authenticated'],
      [`/flags/definitions?token=${ours.apiToken}`, generateKey('phx'), 401, 'authentication_failed'],
      [`/flags/definitions?token=${ours.apiToken}`, ours.apiToken, 401, 'authentication_failed'],
      [`/flags/definitions?token=${ours.apiToken}&personal_api_key=no`, undefined, 401, 'authentication_failed'],
      [`/flags/definitions?token=${generateKey('phc')}`, key, 401, 'authentication_failed'],
      [`/flags/definitions?token=${ours.apiToken}`, foreign, 403, 'permission_denied'],
      [`/flags/definitions?token=${theirs.apiToken}`, secret, 403, 'permission_denied'],
      [`/flags/definitions`, await buildProjectSecretKey(db, ours, 'event:read'), 403, 'permission_denied'],
      [`/api/projects/${ours.projectId}/feature_flags/local_evaluation/`, undefined, 401, 'not_authenticated'],
      [`/api/projects/${ours.projectId}/feature_flags/local_evaluation/`, foreign, 403, 'permission_denied'],
    ];
    for (const [path, bearer, status, code] of cases) {
      const answer = await get(path, bearer);
      assert.deepEqual([answer.status, (answer.body as { code: string }).code], [status, code], `${path} ${bearer}`);
    }
  });

  it('is given at every address and to every kind of key', async () => {
    const secret = await buildProjectSecretKey(db, ours, 'feature_flag:read');
    const answers = await Promise.all([
      get(`/flags/definitions?token=${ours.apiToken}&send_cohorts`, key),
      get(`/flags/definitions/?token=${ours.apiToken}`, secret),
      get('/flags/definitions/', secret),
      get('/flags/definitions', key),
      get(`/api/feature_flag/local_evaluation?token=${ours.apiToken}&send_cohorts`, key),
      get(`/api/feature_flag/local_evaluation/?token=${ours.apiToken}&personal_api_key=${key}`),
      get(`/api/projects/${ours.projectId}/feature_flags/local_evaluation/`, key),
    ]);
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
  });

  it('has the members that SDKs read, flags by key, and numbers as they were written', async () => {
    const tenant = await buildTenant(db);
    await db.raw('select ensure_group_types(?, ?)', [tenant.projectId, ['company']]);
    await buildFlag(db, tenant.projectId, { key: 'b', active: false });
    const filters = { ...condition({ key: 'plan', value: 'pro', operator: 'exact' }), payloads: { true: '{"a":1}' } };
    const id = await buildFlag(db, tenant.projectId, {
      key: 'a',
      name: 'First',
      filters,
      evaluation_contexts: ['web'],
    });
    await buildFlag(db, tenant.projectId, { key: 'deleted', deleted: true });
    await buildFlag(db, tenant.projectId, { key: 'sealed', has_encrypted_payloads: true });
    await buildFlag(db, tenant.projectId, { key: 'survey-targeting-x' });
    const { body } = await feedOf(tenant);
    const { flags, ...others } = body as Body;
    assert.deepEqual(
      flags.map((flag) => flag.key),
      ['a', 'b'],
    );
    assert.deepEqual(flags[0], {
      id,
      team_id: tenant.projectId,
      name: 'First',
      key: 'a',
      filters,
      deleted: false,
      active: true,
      ensure_experience_continuity: false,
      version: 1,
      evaluation_runtime: 'all',
      bucketing_identifier: 'distinct_id',
      evaluation_contexts: ['web'],
      has_encrypted_payloads: false,
    });
    assert.deepEqual(others, {
      group_type_mapping: { 0: 'company' },
      cohorts: {},
      minimal_flag_called_events: false,
      property_matching_version: 1,
    });
  });

  it('keeps how numbers are written', async () => {
    const tenant = await buildTenant(db);
    await db.raw(
      `insert into feature_flags (project_id, key, name, filters, active, ensure_experience_continuity, evaluation_runtime,
         bucketing_identifier, evaluation_contexts, tags, is_remote_configuration, has_encrypted_payloads)
       values (?, 'a', '', '{"n": [1.0, 90071992547409931, 25.5]}', true, false, 'all', 'distinct_id', '{}', '{}', false, false)`,
      [tenant.projectId],
    );
    const secret = await buildProjectSecretKey(db, tenant, 'feature_flag:read');
    const answer = await fetch(`${api.url}/flags/definitions`, { headers: { Authorization: `Bearer ${secret}` } });
    assert.match(await answer.text(), /"filters":\{"n":\[1\.0,90071992547409931,25\.5\]\}/);
  });

  it('contains only the enrollment choice where persons may enroll, as that comes before all else', async () => {
    const tenant = await buildTenant(db);
    const filters = {
      ...condition({ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }),
      feature_enrollment: true,
      aggregation_group_type_index: 0,
      holdout: { id: 1, exclusion_percentage: 10 },
      payloads: { true: '"new"' },
    };
    await buildFlag(db, tenant.projectId, { key: 'early', filters });
    const { flags } = (await feedOf(tenant)).body as Body;
    const chosen = { key: '$feature_enrollment/early', type: 'person', operator: 'exact', value: ['true'] };
    assert.deepEqual(flags[0]?.filters, { ...condition(chosen), payloads: filters.payloads, feature_enrollment: true });
  });

  it('names dependencies by key, after what they depend on themselves', async () => {
    const tenant = await buildTenant(db);
    const build = (flagKey: string, ...ids: number[]) =>
      buildFlag(db, tenant.projectId, { key: flagKey, filters: condition(...ids.map(dependsOn)) });
    const base = await build('base');
    const middle = await build('middle', base);
    await build('top', middle, base);
    await build('lost', 999_999);
    const cyclic = await build('cyclic', 0);
    await db('feature_flags')
      .where({ id: cyclic })
      .update({ filters: condition(dependsOn(cyclic)) });
    const { flags } = (await feedOf(tenant)).body as Body;
    const chains = flags.map(({ key: flagKey, filters }) => [
      flagKey,
      filters.groups[0]!.properties.map((one) => [one.key, one.dependency_chain]),
    ]);
    assert.deepEqual(Object.fromEntries(chains), {
      base: [],
      middle: [['base', ['base']]],
      top: [
        ['middle', ['base', 'middle']],
        ['base', ['base']],
      ],
      lost: [['999999', []]],
      cyclic: [[String(cyclic), []]],
    });
  });

  it('stays small when many conditions ask for a flag behind a long chain', async () => {
    const tenant = await buildTenant(db);
    let last = await buildFlag(db, tenant.projectId, { key: `0-${'k'.repeat(390)}` });
    for (let n = 1; n < 50; n++) {
      last = await buildFlag(db, tenant.projectId, {
        key: `${n}-${'k'.repeat(390)}`,
        filters: condition(dependsOn(last)),
      });
    }
    const filters = condition(...Array.from({ length: 2000 }, () => dependsOn(last)));
    await buildFlag(db, tenant.projectId, { key: 'top', filters });
    const body = (await feedOf(tenant)).body as Body;
    assert.ok(JSON.stringify(body).length < 20 * 1024 * 1024);
    const chains = body.flags.find((flag) => flag.key === 'top')!.filters.groups[0]!.properties;
    assert.deepEqual([chains[0]?.dependency_chain?.length, chains.at(-1)?.dependency_chain], [50, []]);
  });

  it('contains the cohorts that its flags need, also indirectly, but none that lists persons', async () => {
    const tenant = await buildTenant(db);
    const { projectId } = tenant;
    const listed = await buildCohort(db, projectId);
    const leaf = { key: 'plan', type: 'person', value: 'pro', operator: 'exact' };
    const inner = { type: 'AND', values: [{ type: 'AND', values: [leaf, inCohort(listed)] }] };
    const innerId = await buildCohort(db, projectId, inner);
    const outer = { type: 'OR', values: [{ type: 'AND', values: [inCohort(innerId)] }] };
    const outerId = await buildCohort(db, projectId, outer);
    await buildCohort(db, projectId, inner);
    await buildFlag(db, projectId, { filters: condition(inCohort(outerId)) });
    const cyclic = await buildCohort(db, projectId);
    const circle = { properties: { type: 'AND', values: [inCohort(cyclic)] } };
    await db('cohorts').where({ id: cyclic }).update({ is_static: false, filters: circle });
    await buildFlag(db, projectId, { key: 'circle', filters: condition(inCohort(cyclic)) });
    assert.deepEqual(((await feedOf(tenant)).body as Body).cohorts, { [innerId]: inner, [outerId]: outer });
  });

  it('is not sent again to who has it', async () => {
    const tenant = await buildTenant(db);
    const id = await buildFlag(db, tenant.projectId);
    const first = await feedOf(tenant);
    const tag = first.headers.get('ETag')!;
    assert.match(tag, /^W\/"[\w-]{43}"$/);
    assert.equal(first.headers.get('Cache-Control'), 'private, must-revalidate');
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await feedOf(tenant, { 'If-None-Match': known });
      assert.deepEqual([again.status, again.body, again.headers.get('ETag')], [304, '', tag], known);
    }
    assert.equal((await feedOf(tenant, { 'If-None-Match': 'W/"other"' })).status, 200);
    await db('feature_flags').where({ id }).update({ active: false });
    await live.refresh(tenant.projectId);
    assert.equal((await feedOf(tenant, { 'If-None-Match': tag })).status, 200);
  });

  it('is withheld from a project that requests it too often, and from one whose quota is used', async () => {
    const hasty = await buildTenant(db);
    const secret = await buildProjectSecretKey(db, hasty, 'feature_flag:read');
    const ask = async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => get('/flags/definitions', secret)));
      return answers.filter(({ status }) => status === 429);
    };
    let refused = await ask();
    assert(refused.length <= 10, `${refused.length} refused`);
    // A busy machine may take longer for them than they are too often.
    await until('one to be refused', async () => {
      if (refused.length === 0) refused = await ask();
      return refused.length > 0;
    });
    assert.match(refused[0]!.headers.get('Retry-After') ?? '', /^\d+$/);

    const poor = await buildTenant(db);
    await db('projects').where({ id: poor.projectId }).update({ flag_requests_per_month: 1 });
    assert.equal((await feedOf(poor)).status, 200);
    await until('its quota to be used', () => metering.isOverQuota(poor.projectId));
    const { status, body } = await feedOf(poor);
    assert.deepEqual(
      [status, body],
      [
        402,
        {
          type: 'quota_limited',
          code: 'payment_required',
          detail: 'The project has used up this month’s feature flag requests.',
          attr: null,
        },
      ],
    );
  });
});
