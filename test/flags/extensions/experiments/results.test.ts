/** Numbers are checked against plain SQL over what capture stored, and against constants of scipy 1.17.1. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createPool } from '../../../../src/platform/db/connection.ts';
import { Unavailable } from '../../../../src/platform/errors.ts';
import { experiments } from '../../../../src/flags/extensions/experiments/experiments.ts';
import { experimentResults } from '../../../../src/flags/extensions/experiments/results/results.ts';
import {
  RESULTS_POOL,
  experimentResultsStore,
} from '../../../../src/flags/extensions/experiments/results/results.store.ts';
import { startCapture, post, type CaptureServer } from '../../../support/events/capture.ts';
import { startExperimentsApi, type ExperimentsApi } from '../../../support/api/experiments-api.ts';
import { sleepInTurns, until } from '../../../support/until.ts';

type Variant = {
  key: string;
  number_of_samples: number;
  sum: number;
  sum_squares: number;
  mean: number | null;
  credible_interval: [number, number] | null;
  chance_to_win: number | null;
  lift: { value: number; credible_interval: [number, number] | null; significant: boolean } | null;
};
type Metric = { uuid: string; kind: string; variants: Variant[] };
type Results = {
  date_from: string;
  date_to: string;
  last_refresh: string;
  is_cached: boolean;
  exposures: {
    total: number;
    variants: { key: string; count: number }[];
    multiple: number;
    holdout: { key: string; count: number } | null;
    sample_ratio: { expected: Record<string, number>; chi_square: number; p_value: number } | null;
  };
  warnings: { code: string; detail: string }[];
  metrics: Metric[];
  metrics_secondary: Metric[];
};
type Event = { event: string; distinct_id: string; timestamp: string; properties?: object };

const START = '2026-03-01T00:00:00Z';
const END = '2026-03-11T00:00:00Z';
const DAY_MS = 86_400_000;

/** So many days after the start. */
const day = (days: number) => new Date(Date.parse(START) + days * DAY_MS).toISOString();
const step = (event: string, rest: object = {}) => ({ kind: 'EventsNode', event, ...rest });
const conversion = (event: string, properties: object[] = [], rest: object = {}) => ({
  kind: 'ExperimentMetric',
  metric_type: 'funnel',
  series: [step(event, { properties })],
  ...rest,
});
const count = (event: string) => ({ kind: 'ExperimentMetric', metric_type: 'mean', source: step(event) });
const sum = (event: string, math_property: string) => ({
  kind: 'ExperimentMetric',
  metric_type: 'mean',
  source: step(event, { math: 'sum', math_property }),
});

const called = (flag: string, distinct_id: string, variant: unknown, days = 1): Event => ({
  event: '$feature_flag_called',
  distinct_id,
  timestamp: day(days),
  properties: { $feature_flag: flag, $feature_flag_response: variant },
});
const did = (event: string, distinct_id: string, days: number, properties: object = {}): Event => ({
  event,
  distinct_id,
  timestamp: day(days),
  properties,
});

const counts = ({ exposures }: Results) => Object.fromEntries(exposures.variants.map((one) => [one.key, one.count]));
const sums = ({ variants }: Metric) => variants.map((one) => one.sum);

/** With the company that it is about. */
const of = (event: Event, company?: string) => ({
  ...event,
  properties: { ...event.properties, ...(company && { $groups: { company } }) },
});

const near = (actual: number | null | undefined, expected: number) =>
  assert(Math.abs((actual ?? NaN) - expected) < 1e-7 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);

/** `beta(1 + 40, 1 + 160)` and `beta(1 + 60, 1 + 140)`. */
const CONVERSIONS = {
  control: [0.15053528679225067, 0.2609733357539593],
  test: [0.24076664624131736, 0.3669077114851761],
  chance: 0.98940635591936,
  lift: [0.06107681752817884, 1.1243721082057703],
};
/** `norm` of the mean and the standard error of 1, 2, 3, 1, 2, ... payments of those who paid, and 0 of the others. */
const MEANS = {
  control: [0.2739582237399726, 0.5160417762600273],
  test: [0.4583103190204385, 0.7416896809795614],
  chance: 0.9844618649822712,
  lift: [0.03930033800119581, 1.3135111695494968],
};
/** `chisquare([60, 110], [85, 85])`. */
const MISMATCH = 0.00012565375445838133;

describe('the results of an experiment', () => {
  let world: ExperimentsApi;
  let capture: CaptureServer;
  let keys = 0;

  async function launch(body: object = {}): Promise<{ id: number; key: string }> {
    const key = `study-${++keys}`;
    const given = { name: 'Checkout', feature_flag_key: key, start_date: START, end_date: END, ...body };
    const { id } = await world.done<{ id: number }>('POST', '/experiments/', given);
    return { id, key };
  }

  const results = (id: number, query = '') => world.done<Results>('GET', `/experiments/${id}/results/${query}`);

  async function send(events: Event[], of = world.ours): Promise<void> {
    const batch = events.map((event) => ({ properties: {}, ...event, uuid: randomUUID() }));
    const body = { api_key: of.apiToken, batch, historical_migration: true };
    assert.equal((await post(`${capture.url}/batch/`, body)).status, 200);
  }

  before(async () => {
    world = await startExperimentsApi();
    capture = await startCapture(world.databaseUrl);
  });
  after(async () => {
    await capture.stop();
    await world.close();
  });

  it('are there once it is launched, and are nothing at first', async () => {
    const draft = await launch({ start_date: null, end_date: null });
    assert.match((await world.refused('GET', `/experiments/${draft.id}/results/`)).detail, /not been launched/);
    const { id } = await launch({ metrics: [conversion('paid')] });
    const nothing = await results(id);
    assert.deepEqual([nothing.exposures.total, nothing.exposures.sample_ratio], [0, null]);
    const none = {
      number_of_samples: 0,
      sum: 0,
      sum_squares: 0,
      mean: null,
      credible_interval: null,
      chance_to_win: null,
    };
    assert.deepEqual(nothing.metrics[0]!.variants, [
      { key: 'control', ...none, lift: null },
      { key: 'test', ...none, lift: null },
    ]);
    assert.match(nothing.warnings[0]!.detail, /control, test/);
  });

  it('count a person once, by the first call within the time that gave a variant', async () => {
    const { id, key } = await launch();
    await send([
      called(key, 'anna', 'control', 1),
      called(key, 'anna', 'control', 2),
      called(key, 'bert', 'test', 9.99),
      called(key, 'too-early', 'test', -0.01),
      called(key, 'too-late', 'test', 10),
      called(key, 'out-of-rollout', false),
      called(key, 'another-variant', 'gone'),
      called('another-flag', 'carl', 'test'),
    ]);
    await send([called(key, 'theirs', 'test')], world.theirs);
    const found = await results(id);
    assert.deepEqual(counts(found), { control: 1, test: 1 });
    assert.deepEqual([found.date_from, found.date_to], ['2026-03-01T00:00:00.000000Z', '2026-03-11T00:00:00.000000Z']);
  });

  it('leave those out who saw several variants, or count the first; the holdout stands apart', async () => {
    const filters = [{ rollout_percentage: 10 }];
    const holdout = await world.done<{ id: number }>('POST', '/experiment_holdouts/', { name: 'Untouched', filters });
    const exposure_criteria = { multiple_variant_handling: 'first_seen' };
    const { id, key } = await launch({ holdout_id: holdout.id, metrics: [conversion('paid')] });
    const out = `holdout-${holdout.id}`;
    await send([
      called(key, 'both', 'test', 2),
      called(key, 'both', 'control', 3),
      called(key, 'one', 'control', 2),
      called(key, 'out', out, 2),
      did('paid', 'both', 4),
      did('paid', 'out', 4),
    ]);
    const found = await results(id);
    assert.deepEqual(counts(found), { control: 1, test: 0 });
    assert.deepEqual([found.exposures.total, found.exposures.multiple], [1, 1]);
    assert.deepEqual(found.exposures.holdout, { key: out, count: 1 });
    assert.deepEqual(sums(found.metrics[0]!), [0, 0]);

    await world.done('PATCH', `/experiments/${id}/`, { exposure_criteria });
    const byFirst = await results(id);
    assert.deepEqual(counts(byFirst), { control: 1, test: 1 });
    assert.deepEqual([byFirst.exposures.multiple, sums(byFirst.metrics[0]!)], [0, [0, 1]]);
  });

  it('know persons by who they are today', async () => {
    const { id, key } = await launch({ metrics: [conversion('paid')] });
    const anonymous = `anonymous-${randomUUID()}`;
    const exposure = called(key, anonymous, 'test', 1);
    // As pages send it of visitors who have not said who they are.
    await send([
      { ...exposure, properties: { ...exposure.properties, $process_person_profile: false } },
      did('paid', 'dora', 3),
    ]);
    assert.deepEqual(sums((await results(id)).metrics[0]!), [0, 0]);
    await send([
      { event: '$identify', distinct_id: 'dora', timestamp: day(4), properties: { $anon_distinct_id: anonymous } },
      called(key, 'dora', 'test', 5),
    ]);
    const merged = await results(id, '?refresh=true');
    assert.deepEqual(counts(merged), { control: 0, test: 1 });
    assert.deepEqual(sums(merged.metrics[0]!), [0, 1]);
  });

  it('measure what happened after the exposure, in the window, where the filters match', async () => {
    const pro = [{ key: 'plan', type: 'event', operator: 'exact', value: 'pro?' }];
    const large = [{ key: 'total', type: 'event', operator: 'gt', value: '15' }];
    const { id, key } = await launch({
      metrics: [
        conversion('paid'),
        conversion('paid', pro),
        conversion('paid', [], { conversion_window: 24, conversion_window_unit: 'hour' }),
      ],
      metrics_secondary: [count('paid'), sum('paid', 'total'), conversion('paid', large), count('read')],
    });
    await send([
      called(key, 'eva', 'control', 2),
      did('paid', 'eva', 1.9, { total: 1000, plan: 'pro?' }),
      did('paid', 'eva', 2.5, { total: 10, plan: 'free' }),
      did('paid', 'eva', 3.5, { total: 7.5, plan: 'free' }),
      did('paid', 'eva', 10.5, { total: 1000, plan: 'pro?' }),
      called(key, 'kurt', 'control', 2),
      did('paid', 'kurt', 3.1, { total: 3 }),
      called(key, 'finn', 'test', 9.8),
      did('paid', 'finn', 10.5, { total: 1000 }),
      called(key, 'gina', 'test', 2),
      did('paid', 'gina', 2, { total: 20, plan: 'pro?' }),
      did('paid', 'gina', 4, { total: 'many' }),
      did('read', 'gina', 4),
      called(key, 'hugo', 'test', 2),
    ]);
    const found = await results(id);
    assert.deepEqual(found.metrics.map(sums), [
      [2, 1],
      [0, 1],
      [1, 2],
    ]);
    assert.deepEqual(found.metrics_secondary.map(sums), [
      [3, 2],
      [20.5, 20],
      [0, 1],
      [0, 1],
    ]);
    assert.deepEqual(
      found.metrics_secondary[1]!.variants.map((one) => one.sum_squares),
      [17.5 ** 2 + 3 ** 2, 400],
    );
    assert.deepEqual(
      found.metrics[0]!.variants.map((one) => one.mean),
      [1, 1 / 3],
    );
  });

  it('count groups where the flag is for groups', async () => {
    const { id, key } = await launch({ parameters: { aggregation_group_type_index: 0 }, metrics: [count('paid')] });
    await send([
      of(called(key, 'ida', 'test'), 'acme'),
      of(called(key, 'jan', 'test'), 'acme'),
      of(called(key, 'kim', 'control'), 'bolt'),
      of(called(key, 'lea', 'control')),
      of(did('paid', 'mia', 3), 'acme'),
      of(did('paid', 'ida', 3), 'acme'),
      of(did('paid', 'kim', 3)),
    ]);
    const found = await results(id);
    assert.deepEqual(counts(found), { control: 1, test: 1 });
    assert.deepEqual(sums(found.metrics[0]!), [0, 2]);
  });

  describe('of many persons', () => {
    let study: { id: number; key: string };
    let found: Results;

    /** 200 persons each; 40 of control convert, 60 of test, by 1 to 3 payments of 5 each. */
    before(async () => {
      study = await launch({
        metrics: [conversion('bought'), { ...conversion('bought'), goal: 'decrease' }],
        metrics_secondary: [count('bought'), sum('bought', 'price')],
      });
      const persons = Array.from({ length: 400 }, (_, i) => ({ id: `many-${i}`, isTest: i >= 200, place: i % 200 }));
      await send([
        ...persons.map(({ id, isTest }) => called(study.key, id, isTest ? 'test' : 'control')),
        ...persons
          .filter(({ isTest, place }) => place < (isTest ? 60 : 40))
          .flatMap(({ id, place }) =>
            Array.from({ length: 1 + (place % 3) }, () => did('bought', id, 5, { price: 5 })),
          ),
      ]);
      found = await results(study.id);
    });

    it('are what plain SQL counts', async () => {
      const { rows } = await world.db.raw<{
        rows: { variant: string; actors: string; sums: string[]; squares: string[] }[];
      }>(
        `select variant, count(*) as actors, array[sum((n > 0)::int), sum((n > 0)::int), sum(n), sum(5 * n)] as sums,
           array[sum((n > 0)::int), sum((n > 0)::int), sum(n * n), sum(25 * n * n)] as squares
         from (
           select calls.properties ->> '$feature_flag_response' as variant, count(bought.uuid) as n
           from events as calls left join events as bought on bought.event = 'bought' and bought.distinct_id = calls.distinct_id
           where calls.event = '$feature_flag_called' and calls.properties ->> '$feature_flag' = ?
           group by calls.uuid, variant
         ) as persons
         group by variant order by variant`,
        [study.key],
      );
      const metrics = [...found.metrics, ...found.metrics_secondary];
      for (const [i, { variant, actors, sums: wanted, squares }] of rows.entries()) {
        const own = metrics.map(({ variants }) => variants[i]!);
        assert(own.every((one) => one.key === variant && one.number_of_samples === Number(actors)));
        assert.deepEqual(
          own.map((one) => one.sum),
          wanted.map(Number),
        );
        assert.deepEqual(
          own.map((one) => one.sum_squares),
          squares.map(Number),
        );
      }
      assert.equal(rows.length, 2);
    });

    it('give conversions the beta distribution’s intervals, chances and lift', () => {
      const [control, test] = found.metrics[0]!.variants as [Variant, Variant];
      assert.deepEqual([control.mean, test.mean], [0.2, 0.3]);
      CONVERSIONS.control.forEach((bound, i) => near(control.credible_interval?.[i], bound));
      CONVERSIONS.test.forEach((bound, i) => near(test.credible_interval?.[i], bound));
      near(test.chance_to_win, CONVERSIONS.chance);
      near(control.chance_to_win, 1 - CONVERSIONS.chance);
      near(test.lift?.value, 0.5);
      CONVERSIONS.lift.forEach((bound, i) => near(test.lift?.credible_interval?.[i], bound));
      assert.deepEqual([control.lift, test.lift?.significant], [null, true]);
      near(found.metrics[1]!.variants[1]!.chance_to_win, 1 - CONVERSIONS.chance);
    });

    it('give means the normal distribution’s, with the variance of the sample', () => {
      for (const [index, scale] of [1, 5].entries()) {
        const [control, test] = found.metrics_secondary[index]!.variants as [Variant, Variant];
        MEANS.control.forEach((bound, i) => near(control.credible_interval?.[i], bound * scale));
        MEANS.test.forEach((bound, i) => near(test.credible_interval?.[i], bound * scale));
        near(test.chance_to_win, MEANS.chance);
        MEANS.lift.forEach((bound, i) => near(test.lift?.credible_interval?.[i], bound));
      }
    });

    it('are kept for a minute, unless they are to be fresh or the experiment changes', async () => {
      await send([called(study.key, 'late', 'test', 9)]);
      const kept = await results(study.id);
      assert.deepEqual([kept.is_cached, kept.exposures.total, kept.last_refresh], [true, 400, found.last_refresh]);
      const fresh = await results(study.id, '?refresh=true');
      assert.deepEqual([fresh.is_cached, fresh.exposures.total], [false, 401]);
      await send([called(study.key, 'later', 'test', 9)]);
      assert.equal((await results(study.id)).exposures.total, 401);
      world.pass(60_001);
      assert.equal((await results(study.id)).exposures.total, 402);
      await send([called(study.key, 'latest', 'test', 9)]);
      await world.done('PATCH', `/experiments/${study.id}/`, { description: 'changed' });
      assert.equal((await results(study.id)).exposures.total, 403);
    });
  });

  it('warn when persons did not come in the proportions of the flag', async () => {
    const { id, key } = await launch();
    const odd = (persons: number, variant: string) =>
      Array.from({ length: persons }, (_, i) => called(key, `odd-${variant}-${i}`, variant));
    await send([...odd(60, 'control'), ...odd(110, 'test')]);
    const { exposures, warnings } = await results(id);
    assert.deepEqual(exposures.sample_ratio?.expected, { control: 85, test: 85 });
    assert(Math.abs(exposures.sample_ratio.p_value - MISMATCH) < 1e-12);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['sample_ratio_mismatch'],
    );
  });

  it('are computed once for all who ask meanwhile', async () => {
    const { id } = await launch();
    const asking = await world.db.transaction(async (transaction) => {
      await transaction.raw('lock table events in access exclusive mode');
      const both = [results(id, '?refresh=true'), results(id, '?refresh=true')];
      await until('one to wait', async () => {
        const { rows } = await transaction.raw<{ rows: object[] }>(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      await sleepInTurns(200);
      return { both };
    });
    const [one, other] = await Promise.all(asking.both);
    assert.deepEqual([one!.is_cached, one!.last_refresh], [false, other!.last_refresh]);
  });

  it('are given up when they take too long, and can be requested again', async () => {
    const pool = createPool({ url: world.databaseUrl, ...RESULTS_POOL, statementTimeoutMs: 2_000 });
    const impatient = experimentResults({ store: experimentResultsStore(pool), now: Date.now });
    const { id } = await launch({ metrics: [count('paid')] });
    const ask = async () =>
      impatient.get(await experiments({ stores: world.stores }).get(world.ours.projectId, id), false);
    await world.db.transaction(async (transaction) => {
      await transaction.raw('lock table events in access exclusive mode');
      await assert.rejects(ask, (error) => error instanceof Unavailable && error.message.includes('took longer than'));
    });
    await pool.query('set statement_timeout = 0');
    assert.equal((await ask()).isCached, false);
    await pool.end();
  });
});
