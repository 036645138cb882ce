/** One flag for one person: what it answers and why, as it is and as it would be, without a trace of the question. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startFlagsApi, type Body, type Flag, type FlagsApi, type Refusal } from '../../support/api/flags-api.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';

type SetOfAnswer = { index: number; matches: boolean | null; reason: string; bucket: number | null };
type Answer = {
  key: string;
  active: boolean;
  value: boolean | string;
  reason: { code: string; condition_index: number | null };
  condition_sets: SetOfAnswer[];
};

const fromGoogle = { type: 'person', key: 'source', operator: 'icontains', value: 'google' };
const SETS = [
  { properties: [fromGoogle], rollout_percentage: 100 },
  { properties: [], rollout_percentage: 20 },
];

describe('the evaluation of a flag', () => {
  let api: FlagsApi;
  let basket: Flag;

  before(async () => {
    api = await startFlagsApi();
    basket = await api.create({ key: 'basket', ensure_experience_continuity: true, filters: { groups: SETS } });
    const id = randomUUID();
    const { db } = api.sluice;
    const of = { project_id: api.ours.projectId };
    const properties = { source: 'direct' };
    await db('persons').insert({ ...of, id, properties, is_identified: false, created_at: new Date() });
    const known = { distinct_id: 'ben', person_id: id, version: 1, interval_time: new Date() };
    await db('person_distinct_ids').insert({ ...of, ...known });
  });
  after(() => api.stop());

  async function postEvaluate(body: Body, key?: string): Promise<Answer> {
    const { status, body: answer } = await api.request('POST', 'evaluate/', body, {
      ...(key !== undefined && { key }),
    });
    assert.equal(status, 200, JSON.stringify(answer));
    return answer as Answer;
  }

  async function readRefusal(body: Body, key?: string): Promise<[number, string | null]> {
    const { status, body: answer } = await api.request('POST', 'evaluate/', body, {
      ...(key !== undefined && { key }),
    });
    return [status, (answer as Refusal).attr];
  }

  it('shows the result of each condition set, and where the person falls', async () => {
    const answer = await postEvaluate({ flag: 'basket', distinct_id: 'ben' });
    const [first, second] = answer.condition_sets;
    assert.deepEqual(first, { index: 0, matches: false, reason: 'no_condition_match', bucket: null });
    const bucket = second!.bucket!;
    assert.equal(second!.matches, bucket <= 20);
    const reasons = (await api.request('GET', 'evaluation_reasons/?distinct_id=ben')).body as Record<string, Body>;
    assert.equal(answer.value, reasons['basket']!['value']);
    assert.deepEqual(reasons['basket']!['evaluation'], {
      reason: answer.reason.code,
      condition_index: answer.reason.condition_index,
    });
    // The bucket is what the evaluator compares with: a hair around it decides.
    const at = (rollout_percentage: number) =>
      postEvaluate({
        flag: basket.id,
        distinct_id: 'ben',
        filters: { groups: [{ properties: [], rollout_percentage }] },
      });
    assert.equal((await at(Math.floor(bucket * 100) / 100)).value, false);
    const inside = await at(Math.ceil(bucket * 100) / 100);
    assert.deepEqual([inside.value, inside.condition_sets[0]!.bucket], [true, bucket]);
  });

  it('is refused for groups that their caller may not read, and for an id that no flag has', async () => {
    const key = await buildPersonalKey(api.sluice.db, api.ours, 'feature_flag:read');
    assert.equal((await readRefusal({ flag: 'basket', groups: { company: 'acme' } }, key))[0], 403);
    assert.equal((await readRefusal({ flag: 'basket', groups: {} }, key))[0], 200);
    assert.deepEqual(await readRefusal({ flag: 2 ** 31 }), [400, 'flag']);
  });

  it('takes properties of the request over stored ones, and ends at the set that matches', async () => {
    const answer = await postEvaluate({
      flag: 'basket',
      distinct_id: 'ben',
      person_properties: { source: 'Google Ads' },
    });
    assert.equal(answer.value, true);
    assert.deepEqual(
      answer.condition_sets.map(({ matches, reason }) => [matches, reason]),
      [
        [true, 'condition_match'],
        [null, 'not_evaluated'],
      ],
    );
  });

  it('takes filters that are not saved, with variants, groups and other flags', async () => {
    await api.sluice
      .db('group_types')
      .insert({ project_id: api.ours.projectId, group_type_index: 0, group_type: 'company' });
    const filters = {
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ type: 'group', group_type_index: 0, key: 'size', operator: 'gt', value: '5' }] }],
      multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
    };
    const evaluationInput = { flag: 'basket', filters, group_properties: { company: { size: 9 } } };
    const missed = await postEvaluate(evaluationInput);
    assert.deepEqual([missed.value, missed.condition_sets[0]!.reason], [false, 'no_group_type']);
    assert.equal((await postEvaluate({ ...evaluationInput, groups: { company: 'acme' } })).value, 'blue');
    const off = await api.create({ key: 'off', active: false, filters: { groups: SETS } });
    const shown = await postEvaluate({ flag: off.id, person_properties: { source: 'google' } });
    assert.deepEqual([shown.active, shown.value], [false, true]);
    const stored = (await api.request('GET', `${basket.id}/`)).body as Flag;
    assert.deepEqual([stored.version, stored.filters['groups']], [basket.version, basket.filters['groups']]);
  });

  it('stores nothing, and counts as no request of an SDK', async () => {
    const { rows } = await api.sluice.pool.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const present = rows.map(({ name }) => name).filter((name) => !/^(personal_api_keys|sessions)/.test(name));
    assert.ok(present.length > 20);
    const counted = async () => {
      const counts: Record<string, number> = {};
      for (const name of present) counts[name] = Number((await api.sluice.db(name).count())[0]!['count']);
      return counts;
    };
    const before = await counted();
    await postEvaluate({ flag: 'basket', distinct_id: 'ben', person_properties: { $anon_distinct_id: 'anon' } });
    assert.deepEqual(await counted(), before);
  });

  it('names a stored person only to who may see persons', async () => {
    const key = await buildPersonalKey(api.sluice.db, api.ours, 'feature_flag:read');
    assert.deepEqual(await readRefusal({ flag: 'basket', distinct_id: 'ben' }, key), [403, null]);
    assert.equal((await postEvaluate({ flag: 'basket', person_properties: { source: 'google' } }, key)).value, true);
  });

  it('refuses what makes no sense, and names the member', async () => {
    assert.deepEqual(await readRefusal({}), [400, 'flag']);
    assert.deepEqual(await readRefusal({ flag: 'nobody' }), [404, null]);
    assert.deepEqual(await readRefusal({ flag: 'basket', filters: { groups: 5 } }), [400, 'filters__groups']);
    const itself = [{ type: 'flag', key: String(basket.id), operator: 'flag_evaluates_to', value: true }];
    const filters = { groups: [{ properties: itself }] };
    assert.deepEqual(await readRefusal({ flag: 'basket', filters }), [400, 'filters__groups__0__properties__0__key']);
  });
});
