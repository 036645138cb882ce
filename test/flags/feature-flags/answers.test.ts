/** Operations that answer about flags: their values, whom they reach, their status, and the payloads they hand out. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createKnex } from '../../../src/platform/db/connection.ts';
import { selectFlags } from '../../../src/flags/feature-flags/list.store.ts';
import { statusOf } from '../../../src/flags/feature-flags/status.ts';
import type { FeatureFlag } from '../../../src/flags/feature-flags/feature-flags.store.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { buildFlag } from '../../support/database/flag-rows.ts';
import { filtersWith, startFlagsApi, type Body, type Flag, type FlagsApi } from '../../support/api/flags-api.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant } from '../../support/api/identity.ts';

type Reasons = Record<string, { value: unknown; evaluation: { reason: string; condition_index: number | null } }>;

const pro = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };
const split = { variants: [{ key: 'a', rollout_percentage: 100 }] };

/** Definitions follow within 100 ms. */
async function eventually<T>(ask: () => Promise<T>, isThere: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await ask();
    if (isThere(answer) || tries === 3_000) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const config = (payload: unknown, more: Body = {}): Body => ({
  is_remote_configuration: true,
  filters: { ...filtersWith(), payloads: { true: payload } },
  ...more,
});

const variants = (...percentages: number[]) => ({
  multivariate: { variants: percentages.map((rollout_percentage, i) => ({ key: `v${i}`, rollout_percentage })) },
});

describe('answers of feature flags', () => {
  let api: FlagsApi;

  before(async () => (api = await startFlagsApi()));
  after(() => api.stop());

  async function ok<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const answer = await api.request(method, path, body, { ...(key !== undefined && { key }) });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as T;
  }

  const ask = (id: string) => ok<Reasons>('GET', `evaluation_reasons/?distinct_id=${id}&groups={"company":5}`);
  const radius = (condition: Body, group?: number) =>
    ok<Body>('POST', 'user_blast_radius/', { condition, ...(group !== undefined && { group_type_index: group }) });
  const read = (key: string, by?: string) =>
    ok<unknown>('GET', `${key}/remote_config/?token=${api.ours.apiToken}`, undefined, by);
  const sealedOf = async (id: number) =>
    (await api.sluice
      .db<{ id: number; sealed_payloads: string | null; filters: Body }>('feature_flags')
      .where({ id })
      .first())!;

  async function buildPerson(distinctId: string, properties: Body): Promise<void> {
    const id = randomUUID();
    const { db } = api.sluice;
    await db('persons').insert({
      project_id: api.ours.projectId,
      id,
      properties,
      is_identified: false,
      created_at: new Date(),
    });
    await db('person_distinct_ids').insert({
      project_id: api.ours.projectId,
      distinct_id: distinctId,
      person_id: id,
      version: 1,
      interval_time: new Date(),
    });
  }

  describe('to one caller', () => {
    before(async () => {
      await buildPerson('anna', { plan: 'pro' });
      await api.create({
        key: 'pros',
        filters: { groups: [filtersWith(pro)['groups'], { rollout_percentage: 0 }].flat() },
      });
      await api.create({ key: 'split', filters: { ...filtersWith(), multivariate: split } });
      await api.create({ key: 'off', active: false });
      await api.create({ key: 'backend', evaluation_runtime: 'server', evaluation_contexts: ['api'] });
    });

    it('contain the value and the reason', async () => {
      const disabled = { value: false, evaluation: { reason: 'disabled', condition_index: null } };
      const everybody = { reason: 'condition_match', condition_index: 0 };
      const expected = {
        pros: { value: true, evaluation: everybody },
        split: { value: 'a', evaluation: everybody },
        off: disabled,
        backend: { value: true, evaluation: everybody },
      };
      assert.deepEqual(
        await eventually(
          () => ask('anna'),
          ({ backend }) => backend !== undefined,
        ),
        expected,
      );
      const missed = { reason: 'out_of_rollout_bound', condition_index: 1 };
      assert.deepEqual(await ask('bert'), { ...expected, pros: { value: false, evaluation: missed } });
    });

    it('lists the flags of the user of a key, the newest first', async () => {
      await api.sluice.db('users').where({ id: api.ours.userId }).update({ distinct_id: 'anna' });
      const mine = await ok<{ feature_flag: Flag; value: unknown }[]>('GET', 'my_flags/');
      assert.deepEqual(
        mine.map(({ feature_flag: { key, team_id: project }, value }) => [key, project, value]),
        [
          ['backend', api.ours.projectId, true],
          ['off', api.ours.projectId, false],
          ['split', api.ours.projectId, 'a'],
          ['pros', api.ours.projectId, true],
        ],
      );
    });
  });

  it('counts whom a condition set is about', async () => {
    for (const plan of ['pro', 'free', 'free']) await buildPerson(randomUUID(), { plan });
    assert.deepEqual(await radius({ properties: [pro], rollout_percentage: 1, variant: 'a' }), {
      users_affected: 1,
      total_users: 3,
    });
    assert.deepEqual(await radius({}), { users_affected: 3, total_users: 3 });
    assert.deepEqual(await radius({}, 0), { users_affected: 0, total_users: 0 });
  });

  describe('by their payload', () => {
    it('hands it out, as JSON in a text', async () => {
      const { id } = await api.create({ key: 'limits', ...config({ max: 5 }) });
      const secret = await buildProjectSecretKey(api.sluice.db, api.ours, 'feature_flag:read');
      const personal = await buildPersonalKey(api.sluice.db, api.ours, 'feature_flag:read');
      for (const key of [secret, personal]) {
        assert.equal(await read('limits', key), '{"max":5}');
        assert.equal(await read(String(id), key), '{"max":5}');
        const current = `/api/projects/@current/feature_flags/limits/remote_config/?token=${api.ours.apiToken}`;
        assert.equal(await ok('GET', current, undefined, key), '{"max":5}');
      }
      await api.create({ key: 'empty', is_remote_configuration: true });
      assert.equal(await read('empty'), null);
      await api.create({ key: 'no-config', filters: { ...filtersWith(), payloads: { true: '1' } } });
      assert.equal((await api.request('GET', 'no-config/remote_config/')).status, 404);
      assert.equal((await api.request('GET', 'limits%00/remote_config/')).status, 404);
    });

    it('rolls it out to everybody by default', async () => {
      const rollouts = async (groups?: Body[]) => {
        const filters = { payloads: { true: 1 }, ...(groups && { groups }) };
        const { filters: stored } = await api.create({ is_remote_configuration: true, filters });
        return (stored['groups'] as Body[]).map(({ rollout_percentage }) => rollout_percentage);
      };
      const sets = [0, null, 25].map((rollout_percentage) => ({ properties: [], rollout_percentage }));
      assert.deepEqual(await rollouts([...sets, { properties: [] }]), [100, 100, 25, 100]);
      assert.deepEqual([await rollouts([]), await rollouts()], [[100], [100]]);
      const plain = await api.create({ filters: { groups: [{ properties: [], rollout_percentage: 0 }] } });
      assert.equal((plain.filters['groups'] as Body[])[0]!['rollout_percentage'], 0);
    });

    it('hands out null as text', async () => {
      const { key } = await api.create(config(null));
      assert.equal(await read(key), 'null');
    });

    it('seals it where it is encrypted, and shows it to those only who read the configuration', async () => {
      const secret = JSON.stringify({ password: 'hunter2-hunter2' });
      const flag = await api.create({ key: 'sealed', ...config(secret, { has_encrypted_payloads: true }) });
      assert.deepEqual(flag.filters['payloads'], { true: '"********* (encrypted)"' });
      assert.equal(await read('sealed'), secret);
      const { rows } = await api.sluice.db.raw<{ rows: { text: string }[] }>(
        `select (select jsonb_agg(to_jsonb(feature_flags)) || (select jsonb_agg(to_jsonb(activity_log)) from activity_log)
           from feature_flags)::text as text`,
      );
      assert.doesNotMatch(rows[0]!.text, /hunter2/);
      const listed = await api.request('GET', '?search=sealed');
      assert.doesNotMatch(JSON.stringify(listed.body), /hunter2/);
    });

    it('keeps it while the mask comes back, or nothing, and replaces it by another', async () => {
      const flag = await api.create({ ...config('"first"', { has_encrypted_payloads: true }) });
      const { sealed_payloads: before } = await sealedOf(flag.id);
      const masked = await ok<Flag>('PATCH', `${flag.id}/`, { filters: flag.filters, name: 'x' });
      await ok('PATCH', `${flag.id}/`, { filters: filtersWith(pro) });
      assert.equal((await sealedOf(flag.id)).sealed_payloads, before);
      assert.equal(masked.version, 2);
      await ok('PATCH', `${flag.id}/`, { filters: { ...filtersWith(), payloads: { true: 'null' } } });
      assert.equal(await read(flag.key), 'null');
      const entries = await ok<{ results: { detail: { changes: Body[] } }[] }>('GET', `${flag.id}/activity/?limit=1`);
      const [{ detail }] = entries.results as [{ detail: { changes: Body[] } }];
      assert.ok(detail.changes.some(({ field }) => field === 'sealed_payloads'));
    });

    it('becomes secret without a trace, and open only when it is given again', async () => {
      const flag = await api.create(config('"visible"'));
      const sealed = await ok<Flag>('PATCH', `${flag.id}/`, { has_encrypted_payloads: true });
      assert.deepEqual((await sealedOf(flag.id)).filters['payloads'], undefined);
      assert.equal(await read(flag.key), '"visible"');
      const entries = await ok<Body>('GET', `${flag.id}/activity/`);
      assert.doesNotMatch(JSON.stringify(entries), /visible/);
      const open = { has_encrypted_payloads: false, filters: sealed.filters };
      const refused = await api.request('PATCH', `${flag.id}/`, open);
      assert.deepEqual([refused.status, (refused.body as Body)['attr']], [400, 'filters__payloads__true']);
      await ok('PATCH', `${flag.id}/`, { has_encrypted_payloads: false });
      assert.deepEqual([await read(flag.key), (await sealedOf(flag.id)).sealed_payloads], [null, null]);
    });
  });

  it('says how a flag is', async () => {
    const flag = await api.create();
    assert.deepEqual(await ok('GET', `${flag.id}/status/`), {
      status: 'active',
      reason: 'This boolean flag will always evaluate to "true", and is stale 30 days after it was made',
    });
    await ok('PATCH', `${flag.id}/`, { active: false });
    assert.deepEqual(await ok('GET', `${flag.id}/status/`), { status: 'inactive', reason: 'Flag is disabled' });
    await ok('PATCH', `${flag.id}/`, { deleted: true });
    assert.deepEqual(await ok('GET', `${flag.id}/status/`), { status: 'deleted', reason: 'Flag has been deleted' });
  });
});

describe('the status of a feature flag', () => {
  const DAY = 86_400_000;
  const ALL = { properties: [], rollout_percentage: 100 };
  const SOME = { properties: [pro], rollout_percentage: 100 };
  const HALF = { rollout_percentage: 50 };
  const [boolean, partly] = [/^This boolean flag will always evaluate to "true"$/, /not fully rolled out/];
  const [v0, v1] = [/^This flag will always use the variant "v0"$/, /^This flag will always use the variant "v1"$/];
  const [divided, nobody, exceptions] = [/Everybody .* different variants/, /^Nobody gets/, /^Enrollment or a holdout/];
  /** Filters of a flag that was made a month ago. */
  const cases: [string, Body, 'stale' | 'active', RegExp][] = [
    ['everybody', { groups: [ALL] }, 'stale', boolean],
    ['everybody, without a percentage', { groups: [{}] }, 'stale', boolean],
    ['half of all', { groups: [HALF] }, 'active', partly],
    ['some', { groups: [SOME] }, 'active', partly],
    ['some, then everybody', { groups: [SOME, ALL] }, 'stale', boolean],
    ['nobody', { groups: [] }, 'active', nobody],
    ['0 of some', { groups: [{ ...SOME, rollout_percentage: 0 }] }, 'active', nobody],
    ['half, which is all that is tried', { groups: [HALF, ALL], early_exit: true }, 'active', partly],
    ['everybody, at once', { groups: [ALL, HALF], early_exit: true, super_groups: null }, 'stale', boolean],
    ['who is not enrolled otherwise', { groups: [ALL], feature_enrollment: true }, 'active', exceptions],
    ['who is not enrolled in the older way', { groups: [ALL], super_groups: [SOME] }, 'active', exceptions],
    ['who is not held out', { groups: [ALL], holdout: { id: 1, exclusion_percentage: 5 } }, 'active', exceptions],
    ['a split', { groups: [ALL], ...variants(50, 50) }, 'active', divided],
    ['a split of one', { groups: [ALL], ...variants(0, 100) }, 'stale', v1],
    ['one variant for all', { groups: [{ ...ALL, variant: 'v0' }], ...variants(50, 50) }, 'stale', v0],
    [
      'another variant for some',
      {
        groups: [
          { ...SOME, variant: 'v1' },
          { ...ALL, variant: 'v0' },
        ],
        ...variants(50, 50),
      },
      'active',
      divided,
    ],
    [
      'one variant for all, before another',
      {
        groups: [
          { ...ALL, variant: 'v0' },
          { ...SOME, variant: 'v1' },
        ],
        ...variants(50, 50),
      },
      'stale',
      v0,
    ],
    ['half, then a split', { groups: [HALF, ALL], ...variants(50, 50) }, 'active', divided],
    ['one by name and by hash', { groups: [{ ...SOME, variant: 'v1' }, ALL], ...variants(0, 100) }, 'stale', v1],
  ];
  const aMonthAgo = new Date(Date.now() - 31 * DAY).toISOString();
  for (const [name, filters, expected, why] of cases) {
    it(`is ${expected}: ${name}`, () => {
      const flag = { filters, active: true, deleted: false, createdAt: aMonthAgo } as unknown as FeatureFlag;
      const { status, reason } = statusOf(flag, Date.now());
      assert.equal(status, expected);
      assert.match(reason, why);
      if (expected === 'active') return;
      const young = statusOf(flag, Date.parse(aMonthAgo) + DAY);
      assert.equal(young.status, 'active');
      assert.equal(young.reason, `${reason}, and is stale 30 days after it was made`);
    });
  }

  it('decides which flags a list filtered by it has', async () => {
    const database = await createTestDatabase();
    const db = createKnex({ url: database.url, applicationName: 'test' });
    const { projectId } = await buildTenant(db);
    for (const [index, [, filters]] of cases.entries()) {
      await buildFlag(db, projectId, { key: String(index), filters });
    }
    await db('feature_flags').update({ created_at: aMonthAgo });
    const order = { column: 'id', descending: false } as const;
    const visible = { madeBy: null, except: [] };
    const stale = await selectFlags(db, projectId, { visible, stale: true, order, limit: 100, offset: 0 });
    await db.destroy();
    const names = (stale.rows as { key: string }[]).map(({ key }) => cases[Number(key)]![0]);
    assert.deepEqual(
      names,
      cases.filter(([, , status]) => status === 'stale').map(([name]) => name),
    );
  });
});
