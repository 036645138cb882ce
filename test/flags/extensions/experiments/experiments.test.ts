import assert from 'node:assert/strict';
import type { InvalidInput } from '../../../../src/platform/errors.ts';
import { changeFlag, createFlag, type FlagChanges } from '../../../../src/flags/feature-flags.ts';
import type { FeatureFlag } from '../../../../src/flags/feature-flags/feature-flags.store.ts';
import { startExperimentsApi, type ExperimentsApi } from '../../../support/api/experiments-api.ts';
import { buildPersonalKey } from '../../../support/api/identity.ts';

type Variant = { key: string; rollout_percentage: number };
type Experiment = {
  id: number;
  name: string;
  start_date: string | null;
  end_date: string | null;
  status: string;
  feature_flag_key: string;
  feature_flag: { id: number; key: string; active: boolean; deleted: boolean; filters: Record<string, unknown> };
  holdout: { id: number } | null;
  holdout_id: number | null;
  parameters: { feature_flag_variants: Variant[]; rollout_percentage: number; [name: string]: unknown };
  metrics: { uuid: string }[];
  archived: boolean;
  created_by: { id: number } | null;
};
type Holdout = { id: number; filters: { rollout_percentage: number; variant: string }[] };
type Page<T> = { count: number; results: T[] };

const LAUNCH = '2026-03-01T00:00:00.000000Z';
const END = '2026-04-01T00:00:00.000000Z';
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().replace('Z', '000Z');
const HALVES = [
  { key: 'control', name: 'Control Group', rollout_percentage: 50 },
  { key: 'test', name: 'Test Variant', rollout_percentage: 50 },
];
const shares = (...keys: string[]) => keys.map((key) => ({ key, rollout_percentage: 100 / keys.length }));
const conversion = (step: object = { kind: 'EventsNode', event: 'paid' }, rest: object = {}) => ({
  kind: 'ExperimentMetric',
  metric_type: 'funnel',
  series: [step],
  ...rest,
});
const mean = (source: object = {}, rest: object = {}) => ({
  kind: 'ExperimentMetric',
  metric_type: 'mean',
  source: { kind: 'EventsNode', event: 'paid', ...source },
  ...rest,
});

describe('experiments', () => {
  let world: ExperimentsApi;
  let keys = 0;

  const project = () => ({ id: world.ours.projectId, organizationId: world.ours.organizationId, name: 'ours' });
  const author = () => ({ userId: world.ours.userId, keyId: '00000000-0000-4000-8000-000000000000' });
  const newKey = () => `key-${++keys}`;
  const create = (body: object = {}) =>
    world.done<Experiment>('POST', '/experiments/', { name: 'Checkout', feature_flag_key: newKey(), ...body });
  const change = (id: number, body: object) => world.done<Experiment>('PATCH', `/experiments/${id}/`, body);
  const createHoldout = (rollout_percentage = 10) =>
    world.done<Holdout>('POST', '/experiment_holdouts/', { name: 'Untouched', filters: [{ rollout_percentage }] });
  const makeFlag = (filters: Record<string, unknown>): Promise<FeatureFlag> =>
    world.stores.inTransaction(world.ours.projectId, (stores) =>
      createFlag(stores, project(), author(), { key: newKey(), filters, active: false }),
    );

  const changeIts = (flagId: number, changes: FlagChanges) =>
    world.stores.inTransaction(world.ours.projectId, (stores) =>
      changeFlag(stores, project(), author(), flagId, changes),
    );

  const listed = async (query: string) => {
    const page = await world.done<Page<Experiment>>('GET', `/experiments/?search=LISTED&${query}`);
    return page.results.map(({ id }) => id);
  };
  /** Of the definitions. */
  const version = async () => {
    const { rows } = await world.db.raw<{ rows: { version: string }[] }>(
      'select version from flag_definitions where project_id = ?',
      [world.ours.projectId],
    );
    return Number(rows[0]!.version);
  };

  before(async () => {
    world = await startExperimentsApi();
  });
  after(() => world.close());

  describe('are for those who may', () => {
    it('read and write them', async () => {
      const { id } = await create();
      const holdout = await createHoldout();
      const routes = [
        ['GET', '/experiments/', 'read'],
        ['POST', '/experiments/', 'write'],
        ['GET', `/experiments/${id}/`, 'read'],
        ['PATCH', `/experiments/${id}/`, 'write'],
        ['GET', `/experiments/${id}/results/`, 'read'],
        ['GET', '/experiment_holdouts/', 'read'],
        ['POST', '/experiment_holdouts/', 'write'],
        ['GET', `/experiment_holdouts/${holdout.id}/`, 'read'],
        ['PATCH', `/experiment_holdouts/${holdout.id}/`, 'write'],
        ['DELETE', `/experiment_holdouts/${holdout.id}/`, 'write'],
      ] as const;
      const flags = await buildPersonalKey(world.db, world.ours, 'feature_flag:write');
      const reader = await buildPersonalKey(world.db, world.ours, 'experiment:read');
      const stranger = await buildPersonalKey(world.db, world.theirs, '*');
      for (const [method, path, action] of routes) {
        const status = async (key?: string) => {
          const request = key === undefined ? {} : { key };
          return (await world.api.request(method, `/api/projects/${world.ours.projectId}${path}`, request)).status;
        };
        const says = `${method} ${path}`;
        assert.equal(await status(), 401, says);
        assert.equal(await status(stranger), 403, says);
        assert.equal(await status(flags), 403, says);
        assert.equal((await status(reader)) === 403, action === 'write', says);
        const elsewhere = `/api/projects/${world.theirs.projectId}${path}`;
        const { status: theirs } = await world.api.request(method, elsewhere, {
          key: stranger,
          ...(method !== 'GET' && { body: {} }),
        });
        if (path.includes(`/${id}/`) || path.includes(`/${holdout.id}/`)) assert.equal(theirs, 404, says);
      }
    });
  });

  describe('refuse', () => {
    const refusals: [says: string, body: object, attr: string | null, detail: RegExp][] = [
      ['no name', { name: '' }, 'name', /blank/],
      ['no key', { feature_flag_key: '' }, 'feature_flag_key', /blank/],
      ['a key that no flag may have', { feature_flag_key: 'a b' }, 'feature_flag_key', /letters, numbers/],
      ['one variant', { parameters: { feature_flag_variants: shares('control') } }, 'parameters', /at least 2/],
      [
        'eleven variants',
        { parameters: { feature_flag_variants: shares('control', ...Array.from({ length: 10 }, (_, i) => `v${i}`)) } },
        'parameters',
        /less than 11/,
      ],
      ['no control', { parameters: { feature_flag_variants: shares('a', 'b') } }, 'parameters', /control variant/],
      [
        'a variant that looks like a holdout',
        { parameters: { feature_flag_variants: shares('control', 'holdout-1') } },
        'parameters',
        /holdout-/,
      ],
      [
        'percentages that do not sum to 100',
        { parameters: { feature_flag_variants: [...shares('control', 'a'), { key: 'b', rollout_percentage: 1 }] } },
        'parameters',
        /sum to 100/,
      ],
      [
        'variants twice',
        { parameters: { feature_flag_variants: shares('control', 'a', 'a', 'b') } },
        'parameters',
        /"a"/,
      ],
      ['an end without a start', { end_date: END }, 'end_date', /not launched/],
      ['an end before the start', { start_date: END, end_date: LAUNCH }, 'end_date', /must be after start date/],
      ['a date that is none', { start_date: 'soon' }, 'start_date', /wrong format/],
      ['an archive of what goes on', { start_date: LAUNCH, archived: true }, 'archived', /must be ended/],
      ['a holdout that is not there', { holdout_id: 999_999 }, 'holdout_id', /does not exist/],
      ['saved metrics', { saved_metrics_ids: [{ id: 1 }] }, 'saved_metrics_ids', /does not exist/],
      ['global filters', { filters: { properties: [{ key: 'a' }] } }, 'filters', /global filter properties/],
      ['another type', { type: 'mobile' }, 'type', /not a valid choice/],
      ['other exposures', { exposure_criteria: { exposure_config: { event: 'x' } } }, null, /not a valid choice/],
    ];
    for (const [says, body, attr, detail] of refusals) {
      it(says, async () => {
        const given = { name: 'Checkout', feature_flag_key: newKey(), ...body };
        const refusal = await world.refused('POST', '/experiments/', given);
        assert.match(refusal.detail, detail);
        if (attr !== null) assert.equal(refusal.attr, attr);
      });
    }

    const badMetrics: [says: string, metric: unknown, detail: RegExp][] = [
      ['that is no object', 'paid', /must be an object/],
      ['of another kind', { kind: 'ExperimentTrendsQuery' }, /kind must be 'ExperimentMetric'/],
      ['of another type', { kind: 'ExperimentMetric', metric_type: 'ratio' }, /must be 'funnel' or 'mean'/],
      ['without a step', { ...conversion(), series: [] }, /at least one step/],
      ['of two steps', { ...conversion(), series: [{}, {}] }, /more than one step/],
      ['of an action', conversion({ kind: 'ActionsNode', id: 1 }), /'EventsNode'/],
      ['of other mathematics', mean({ math: 'avg' }), /'total' or 'sum'/],
      ['that sums nothing', mean({ math: 'sum' }), /math_property/],
      [
        'with a bad filter',
        conversion({ kind: 'EventsNode', properties: [{ key: 'a', type: 'cohort' }] }),
        /Filter|filter/,
      ],
      [
        'with a bad regex',
        conversion({ kind: 'EventsNode', properties: [{ key: 'a', type: 'event', operator: 'regex', value: '(' }] }),
        /Filter 1/,
      ],
      ['with a window of no time', conversion(undefined, { conversion_window: 0 }), /whole number above 0/],
      ['with a window of years', conversion(undefined, { conversion_window: 367 }), /366 days/],
      [
        'with a unit that is none',
        conversion(undefined, { conversion_window: 1, conversion_window_unit: 'eon' }),
        /must be one of/,
      ],
      ['with another goal', mean({}, { goal: 'win' }), /'increase' or 'decrease'/],
      ['with outliers cut off', mean({}, { upper_bound_percentile: 0.99 }), /upper_bound_percentile/],
    ];
    for (const [says, metric, detail] of badMetrics) {
      it(`a metric ${says}`, async () => {
        const given = { name: 'Checkout', feature_flag_key: newKey(), metrics_secondary: [conversion(), metric] };
        const refusal = await world.refused('POST', '/experiments/', given);
        assert.match(refusal.detail, detail);
        assert.match(refusal.detail, /^Invalid metric at index 1: /);
        assert.equal(refusal.attr, 'metrics_secondary');
      });
    }

    it('two metrics with one uuid', async () => {
      const metrics = [conversion(undefined, { uuid: 'same' })];
      const given = { name: 'Checkout', feature_flag_key: newKey(), metrics, metrics_secondary: metrics };
      assert.match((await world.refused('POST', '/experiments/', given)).detail, /Duplicate metric UUID: 'same'/);
    });

    it('a flag without a control, and one with a running experiment; nothing is made then', async () => {
      const plain = await makeFlag({ groups: [{ rollout_percentage: 100 }] });
      const on = (feature_flag_key: string) =>
        world.refused('POST', '/experiments/', { name: 'Checkout', feature_flag_key });
      const unfit = await on(plain.key);
      assert.match(unfit.detail, /not eligible/);
      assert.equal(unfit.attr, 'feature_flag_key');
      const first = await create({ start_date: LAUNCH });
      const used = await on(first.feature_flag_key);
      assert.match(used.detail, new RegExp(`ID: ${first.id}\\) that has not ended`));
      const { count } = await world.done<Page<Experiment>>('GET', `/experiments/?feature_flag_id=${plain.id}`);
      assert.equal(count, 0);
    });
  });

  describe('are made', () => {
    it('as drafts with a flag that is off, for all persons, half control and half test', async () => {
      const made = await create({ description: null, parameters: { minimum_detectable_effect: 5 } });
      assert.equal(made.start_date, null);
      assert.equal(made.created_by?.id, world.ours.userId);
      assert.equal(made.feature_flag.active, false);
      assert.deepEqual(made.feature_flag.filters['groups'], [{ properties: [], rollout_percentage: 100 }]);
      assert.deepEqual(made.feature_flag.filters['multivariate'], { variants: HALVES });
      assert.deepEqual(made.parameters, {
        minimum_detectable_effect: 5,
        feature_flag_variants: HALVES,
        aggregation_group_type_index: null,
        rollout_percentage: 100,
      });
      assert.deepEqual(await world.done('GET', `/experiments/${made.id}/`), made);
    });

    it('launched, with variants, a rollout and a holdout of their own', async () => {
      const holdout = await createHoldout(12.5);
      const feature_flag_variants = [
        { key: 'control', rollout_percentage: 20 },
        ...shares('a', 'b').map((one) => ({ ...one, rollout_percentage: 40 })),
      ];
      const made = await create({
        start_date: LAUNCH,
        holdout_id: holdout.id,
        parameters: { feature_flag_variants, rollout_percentage: 30 },
      });
      assert.equal(made.feature_flag.active, true);
      assert.equal(made.holdout?.id, holdout.id);
      assert.deepEqual(made.feature_flag.filters['holdout'], { id: holdout.id, exclusion_percentage: 12.5 });
      assert.deepEqual(made.parameters.feature_flag_variants, feature_flag_variants);
      assert.deepEqual(made.feature_flag.filters['groups'], [{ properties: [], rollout_percentage: 30 }]);
    });

    it('on a flag that is there, whose condition sets stay', async () => {
      const groups = [
        { properties: [{ key: 'plan', type: 'person', value: 'pro', operator: 'exact' }], rollout_percentage: 50 },
      ];
      const flag = await makeFlag({ groups, multivariate: { variants: shares('control', 'blue') } });
      const made = await create({ feature_flag_key: flag.key, start_date: LAUNCH });
      assert.equal(made.feature_flag.id, flag.id);
      assert.equal(made.feature_flag.active, true);
      assert.deepEqual(made.feature_flag.filters['groups'], groups);
    });

    it('with metrics that each have a uuid, and keep the fields of upstream', async () => {
      const made = await create({
        metrics: [conversion(), mean({ math: 'sum', math_property: 'total' }, { fingerprint: 'f' })],
      });
      assert.match(made.metrics[0]!.uuid, /^[0-9a-f-]{36}$/);
      assert.notEqual(made.metrics[0]!.uuid, made.metrics[1]!.uuid);
      assert.equal((made.metrics[1] as { fingerprint?: string }).fingerprint, 'f');
    });

    it('and listed, the newest first, by where they are', async () => {
      const draft = await create({ name: 'Listed draft' });
      const running = await create({ name: 'Listed running', start_date: LAUNCH });
      const ended = await create({ name: 'Listed ended', start_date: LAUNCH, end_date: END, archived: true });
      assert.deepEqual(await listed(''), [ended.id, running.id, draft.id]);
      assert.deepEqual(await listed('limit=1&offset=1'), [running.id]);
      assert.deepEqual(await listed('status=draft'), [draft.id]);
      assert.deepEqual(await listed('status=running'), [running.id]);
      const scheduled = await create({ name: 'Listed scheduled', start_date: inDays(1), end_date: inDays(2) });
      const ending = await create({ name: 'Listed ending', start_date: LAUNCH, end_date: inDays(1) });
      for (const [name, ids] of Object.entries({
        draft: [draft.id],
        scheduled: [scheduled.id],
        running: [ending.id, running.id],
        stopped: [ended.id],
        complete: [ended.id],
        ended: [ended.id],
        all: [ending.id, scheduled.id, ended.id, running.id, draft.id],
      })) {
        assert.deepEqual(await listed(`status=${name}`), ids, name);
      }
      assert.deepEqual(
        [draft, scheduled, running, ending, ended].map(({ status }) => status),
        ['draft', 'scheduled', 'running', 'running', 'stopped'],
      );
      await Promise.all([scheduled, ending].map(({ id }) => change(id, { deleted: true })));
      assert.deepEqual(await listed('archived=false'), [running.id, draft.id]);
    });

    it('and holders of definitions learn that the flag has one', async () => {
      const flag = await makeFlag({ groups: [{}], multivariate: { variants: shares('control', 'blue') } });
      const before = await version();
      const { id } = await create({ feature_flag_key: flag.key });
      const made = await version();
      await change(id, { name: 'Renamed' });
      const renamed = await version();
      await change(id, { deleted: true });
      assert.deepEqual([made > before, renamed - made, (await version()) > renamed], [true, 0, true]);
    });
  });

  describe('live', () => {
    it('as a draft that is changed, launched, ended, archived', async () => {
      const { id, feature_flag: flag } = await create();
      const feature_flag_variants = shares('control', 'a', 'b', 'c');
      const changed = await change(id, {
        name: 'Better',
        parameters: { feature_flag_variants, rollout_percentage: 10 },
      });
      assert.deepEqual(changed.parameters.feature_flag_variants, feature_flag_variants);
      assert.equal(changed.feature_flag.active, false);
      const launched = await change(id, { start_date: '2026-03-01' });
      assert.deepEqual([launched.start_date, launched.feature_flag.active], [LAUNCH, true]);
      const ended = await change(id, { end_date: END });
      assert.deepEqual([ended.end_date, ended.feature_flag.active], [END, true]);
      assert.equal((await change(id, { archived: true })).archived, true);
      assert.equal(ended.feature_flag.id, flag.id);
      const { results } = await world.stores.auditLog.list(
        world.ours.projectId,
        { scope: 'Experiment', itemId: id, visibleKinds: [] },
        { limit: 9, offset: 0 },
      );
      assert.deepEqual(
        results.map(({ activity, detail }) => [activity, ...detail.changes.map(({ field }) => field)]),
        [['updated', 'archived'], ['updated', 'end_date'], ['updated', 'start_date'], ['updated', 'name'], ['created']],
      );
    });

    it('without other variants, percentages or holdouts once they are launched', async () => {
      const holdout = await createHoldout();
      const { id, parameters } = await create({ start_date: LAUNCH });
      const refused = (body: object) => world.refused('PATCH', `/experiments/${id}/`, body);
      const uneven = [
        { key: 'control', rollout_percentage: 10 },
        { key: 'test', rollout_percentage: 90 },
      ];
      for (const feature_flag_variants of [shares('control', 'test', 'c'), shares('control', 'b'), uneven]) {
        const { detail } = await refused({ parameters: { feature_flag_variants } });
        assert.equal(detail, "Can't update feature_flag_variants on Experiment");
      }
      assert.match((await refused({ parameters: { rollout_percentage: 7 } })).detail, /rollout_percentage/);
      assert.match((await refused({ holdout_id: holdout.id })).detail, /Can't update holdout on running/);
      assert.match((await refused({ start_date: null })).detail, /draft again/);
      assert.match((await refused({ feature_flag_key: 'other' })).detail, /Can't update keys/);
      const kept = await change(id, { name: 'Other', parameters: { ...parameters, note: 1 }, holdout_id: null });
      assert.equal(kept.parameters['note'], 1);
    });

    it('on a flag that keeps its key and its variants as long as they run, but may be disabled', async () => {
      const { id, feature_flag: flag } = await create({ start_date: LAUNCH });
      const filters = (...variants: object[]) => ({ filters: { ...flag.filters, multivariate: { variants } } });
      const [control, test] = HALVES as [object, object];
      const kept = (changes: FlagChanges, attr: string) =>
        assert.rejects(changeIts(flag.id, changes), (error: InvalidInput) => {
          assert.equal(error.attr, attr);
          assert.match(error.message, new RegExp(`"Checkout" \\(ID: ${id}\\) is running .* End the experiment first`));
          return true;
        });
      await kept({ key: newKey() }, 'key');
      for (const changes of [
        filters(...shares('control', 'other')),
        filters({ ...control, rollout_percentage: 40 }, { ...test, rollout_percentage: 60 }),
        filters(test, control),
        { filters: { ...flag.filters, multivariate: null } },
      ]) {
        await kept(changes, 'filters__multivariate__variants');
      }
      await changeIts(flag.id, { ...filters(control, { ...test, name: 'Green' }), active: false });
      await change(id, { end_date: END });
      await changeIts(flag.id, { key: newKey(), filters: { ...flag.filters, multivariate: null } });
      assert.match((await world.refused('PATCH', `/experiments/${id}/`, { end_date: null })).detail, /not eligible/);
    });

    it('not on a flag that has lost its variants since', async () => {
      const { id, feature_flag: flag } = await create();
      await changeIts(flag.id, { filters: { ...flag.filters, multivariate: null } });
      const launch = { start_date: LAUNCH };
      const refusal = await world.refused('PATCH', `/experiments/${id}/`, launch);
      assert.deepEqual([refusal.attr, /not eligible.*2 variants/.test(refusal.detail)], ['feature_flag_key', true]);
      await changeIts(flag.id, { filters: { ...flag.filters, multivariate: { variants: shares('a', 'b') } } });
      assert.match((await world.refused('PATCH', `/experiments/${id}/`, launch)).detail, /control variant/);
      const parameters = { feature_flag_variants: HALVES };
      assert.equal((await change(id, { ...launch, parameters })).feature_flag.active, true);
    });

    it('not again beside another experiment of their flag that has not ended', async () => {
      const { id, feature_flag: flag } = await create({ start_date: LAUNCH, end_date: END });
      const other = await create({ feature_flag_key: flag.key });
      const refused = async (body: object) => {
        const { attr, detail } = await world.refused('PATCH', `/experiments/${id}/`, body);
        assert.equal(attr, 'feature_flag_key');
        assert.match(detail, new RegExp(`another experiment \\(ID: ${other.id}\\) that has not ended`));
      };
      const reopenings = [{ end_date: null }, { end_date: inDays(1) }];
      for (const launch of [{}, { start_date: inDays(1) }, { start_date: LAUNCH }]) {
        await change(other.id, launch);
        for (const reopening of reopenings) await refused(reopening);
      }
      await change(other.id, { end_date: END });
      for (const reopening of reopenings) assert.equal((await change(id, reopening)).status, 'running');
    });

    it('under which alone their flag cannot be deleted', async () => {
      const { id, feature_flag: flag } = await create();
      await changeIts(flag.id, { deleted: true });
      const read = await world.done<Experiment>('GET', `/experiments/${id}/`);
      assert.deepEqual([read.feature_flag.deleted, read.feature_flag_key], [true, flag.key]);
      const refusal = await world.refused('PATCH', `/experiments/${id}/`, { start_date: LAUNCH });
      assert.deepEqual(
        [refusal.attr, refusal.detail],
        ['feature_flag_key', 'The feature flag is deleted: restore it first.'],
      );
      await change(id, { name: 'Renamed', parameters: { feature_flag_variants: shares('control', 'test', 'other') } });
      // A flag that takes its key is another one.
      const heir = await create({ feature_flag_key: flag.key });
      assert.notEqual(heir.feature_flag.id, flag.id);
      assert.equal((await world.done<Experiment>('GET', `/experiments/${id}/`)).feature_flag.id, flag.id);
      await change(id, { deleted: true });

      const running = await create({ start_date: LAUNCH });
      const remove = () => changeIts(running.feature_flag.id, { deleted: true });
      await assert.rejects(remove, new RegExp(`in use with running experiments \\(ID: ${running.id}\\)`));
      await change(running.id, { end_date: END });
      assert.equal((await remove()).deleted, true);
      await world.done('GET', `/experiments/${running.id}/results/`);
      await world.refused('PATCH', `/experiments/${running.id}/`, { end_date: null });
    });

    it('when their start has come: until then nothing is measured, and the launch can be taken back', async () => {
      const { id, feature_flag: flag, status } = await create({ start_date: inDays(1) });
      assert.deepEqual([status, flag.active], ['scheduled', true]);
      const { detail } = await world.refused('GET', `/experiments/${id}/results/`);
      assert.match(detail, /has not begun/);
      assert.equal((await change(id, { start_date: null })).status, 'draft');
      await change(id, { start_date: inDays(1) });
      await world.db('experiments').where({ id }).update({ start_date: LAUNCH });
      await world.done('GET', `/experiments/${id}/results/`);
      assert.match((await world.refused('PATCH', `/experiments/${id}/`, { start_date: null })).detail, /draft again/);
    });

    it('with refusals while they are scheduled that say how to become a draft again', async () => {
      const holdout = await createHoldout();
      const { id, feature_flag: flag } = await create({ start_date: inDays(1) });
      const advice = /[Ss]end `start_date: null` .*first/;
      const rejected = (changes: FlagChanges, says: RegExp) =>
        assert.rejects(changeIts(flag.id, changes), ({ message }: InvalidInput) => {
          assert.match(message, says);
          assert.match(message, advice);
          assert.doesNotMatch(message, /running|End the experiment|end them/);
          return true;
        });
      const scheduled = new RegExp(`"Checkout" \\(ID: ${id}\\) is scheduled on this flag`);
      await rejected({ key: newKey() }, scheduled);
      await rejected({ filters: { ...flag.filters, multivariate: null } }, scheduled);
      await rejected({ deleted: true }, new RegExp(`in use with scheduled experiments \\(ID: ${id}\\)`));
      for (const [body, attr, says] of [
        [{ holdout_id: holdout.id }, 'holdout_id', /Can't update holdout on scheduled Experiment/],
        [{ parameters: { rollout_percentage: 7 } }, 'parameters', /Can't update rollout_percentage on Experiment/],
      ] as const) {
        const refusal = await world.refused('PATCH', `/experiments/${id}/`, body);
        assert.equal(refusal.attr, attr);
        assert.match(refusal.detail, says);
        assert.match(refusal.detail, advice);
      }
      const unended = await world.refused('PATCH', `/experiments/${id}/`, { end_date: LAUNCH });
      assert.equal(unended.attr, 'end_date');
      assert.match(unended.detail, /must be after start date\. .* is scheduled .*send `start_date: null`/);
      await change(id, { start_date: null });
      await change(id, { holdout_id: holdout.id });
      await changeIts(flag.id, { deleted: true });
    });

    it('never from the beginning again: a start that has come does not move to the future', async () => {
      const running = await create({ start_date: LAUNCH });
      const stopped = await create({ start_date: LAUNCH, end_date: END });
      for (const { id, status } of [running, stopped]) {
        for (const body of [{ start_date: inDays(1) }, { start_date: inDays(1), end_date: null }]) {
          const { attr, detail } = await world.refused('PATCH', `/experiments/${id}/`, body);
          assert.equal(attr, 'start_date');
          assert.match(
            detail,
            status === 'running' ? /has begun.* End it and create another/ : /has begun.* Create another/,
          );
        }
        assert.equal((await world.done<Experiment>('GET', `/experiments/${id}/`)).status, status);
        assert.equal((await change(id, { start_date: '2026-02-01' })).status, status);
      }
      assert.equal((await change(stopped.id, { end_date: null })).status, 'running');
    });

    it('again after an archive only with `archived: false`, as the refusal says', async () => {
      const { id } = await create({ start_date: LAUNCH, end_date: END, archived: true });
      for (const end_date of [null, inDays(1)]) {
        const { attr, detail } = await world.refused('PATCH', `/experiments/${id}/`, { end_date });
        assert.equal(attr, 'archived');
        assert.match(detail, /is archived.*[Ss]end `archived: false` too/);
      }
      assert.equal((await change(id, { end_date: null, archived: false })).status, 'running');
    });

    it('until their end has come: until then the flag stays as it is', async () => {
      const { id, feature_flag: flag } = await create({ start_date: LAUNCH, end_date: inDays(1) });
      await assert.rejects(changeIts(flag.id, { key: newKey() }), /End the experiment first/);
      await assert.rejects(changeIts(flag.id, { deleted: true }), /in use with running experiments/);
      assert.match((await world.refused('PATCH', `/experiments/${id}/`, { archived: true })).detail, /must be ended/);
      const other = { name: 'Another', feature_flag_key: flag.key };
      assert.match((await world.refused('POST', '/experiments/', other)).detail, /that has not ended/);
      await world.db('experiments').where({ id }).update({ end_date: END });
      assert.deepEqual((await change(id, { archived: true })).status, 'stopped');
      await changeIts(flag.id, { key: newKey() });
    });

    it('until they are deleted', async () => {
      const { id, feature_flag: flag } = await create({ start_date: LAUNCH, end_date: END });
      const remove = () => changeIts(flag.id, { deleted: true });
      assert.equal((await world.request('DELETE', `/experiments/${id}/`)).status, 405);
      await change(id, { deleted: true });
      assert.equal((await world.request('GET', `/experiments/${id}/`)).status, 404);
      assert.equal((await world.request('PATCH', `/experiments/${id}/`, { deleted: false })).status, 404);
      assert.equal((await remove()).deleted, true);
      const again = await create({ feature_flag_key: flag.key });
      assert.notEqual(again.feature_flag.id, flag.id);
    });
  });

  describe('have holdouts', () => {
    it('that are one percentage of all persons', async () => {
      for (const filters of [
        [],
        [{}],
        [{ rollout_percentage: 101 }],
        [{ rollout_percentage: 1 }, { rollout_percentage: 2 }],
        [{ rollout_percentage: 1, properties: [{ key: 'a' }] }],
      ]) {
        await world.refused('POST', '/experiment_holdouts/', { name: 'Untouched', filters });
      }
      const made = await createHoldout(10);
      assert.deepEqual(made.filters, [{ properties: [], rollout_percentage: 10, variant: `holdout-${made.id}` }]);
      assert.deepEqual(await world.done('GET', `/experiment_holdouts/${made.id}/`), made);
      const { results } = await world.done<Page<Holdout>>('GET', '/experiment_holdouts/?limit=1');
      assert.deepEqual(results, [made]);
    });

    it('which rewrite the flags of all their experiments, and stay as long as one uses them', async () => {
      const holdout = await createHoldout(10);
      const draft = await create({ name: 'A draft' });
      const launched = await create({ name: 'A launched one', start_date: LAUNCH, holdout_id: holdout.id });
      const joined = await change(draft.id, { holdout_id: holdout.id });
      assert.deepEqual(joined.feature_flag.filters['holdout'], { id: holdout.id, exclusion_percentage: 10 });

      await world.done('PATCH', `/experiment_holdouts/${holdout.id}/`, { filters: [{ rollout_percentage: 25 }] });
      for (const { id } of [draft, launched]) {
        const { feature_flag: flag } = await world.done<Experiment>('GET', `/experiments/${id}/`);
        assert.deepEqual(flag.filters['holdout'], { id: holdout.id, exclusion_percentage: 25 });
      }
      const { detail } = await world.refused('DELETE', `/experiment_holdouts/${holdout.id}/`);
      assert.match(detail, new RegExp(`A draft \\(ID: ${draft.id}\\), A launched one \\(ID: ${launched.id}\\)`));

      assert.equal((await change(draft.id, { holdout_id: null })).feature_flag.filters['holdout'], undefined);
      await change(launched.id, { deleted: true });
      const freed = await world.stores.flags.get(world.ours.projectId, launched.feature_flag.id);
      assert.equal(freed.filters.holdout, undefined);
      assert.equal((await world.request('DELETE', `/experiment_holdouts/${holdout.id}/`)).status, 204);
      assert.equal((await world.request('GET', `/experiment_holdouts/${holdout.id}/`)).status, 404);
    });
  });
});
