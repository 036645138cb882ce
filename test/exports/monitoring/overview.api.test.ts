/** The overview: exports by what they ask of people, each with its last intervals, its error and what a pause left out. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createKnex } from '../../../src/platform/db/connection.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import type { IntervalMapBody } from '../../../src/exports/intervals/interval-map.schema.ts';
import { MAX_EXAMINED, MAX_TROUBLED } from '../../../src/exports/intervals/troubled-intervals.store.ts';
import { exportOverviews } from '../../../src/exports/monitoring/overview.ts';
import type { OverviewItemBody } from '../../../src/exports/monitoring/overview.schema.ts';
import { exportStores } from '../../../src/exports/stores.ts';
import { buildMember, buildRule } from '../../support/api/members.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { buildExport } from '../../support/exports/export-world.ts';
import { cellsOf } from '../../support/exports/interval-maps.ts';
import { storeInterval, type IntervalFacts } from '../../support/exports/stored-intervals.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);
const hour = (end: number) => ({ start: at(end - 1), end: at(end) });

type Overview = {
  count: number;
  next: string | null;
  results: OverviewItemBody[];
  totals: Record<string, number>;
  deliveries_blocked: string | null;
  user_access_level: string;
};

const namesOf = ({ results }: Overview) => results.map(({ name }) => name);

describe('the overview of exports', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());
  beforeEach(() => exports.db('batch_exports').update({ deleted_at: new Date() } as never));

  async function overview(query = ''): Promise<Overview> {
    const { status, body } = await exports.request('GET', `/batch_exports/overview/?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Overview;
  }

  /** An export as if it had been made three and a half hours ago, with facts about the hours that ended since. */
  async function build(
    name: string,
    facts: readonly (IntervalFacts | undefined)[] = [],
    overrides: Parameters<typeof buildExport>[0] = {},
  ): Promise<string> {
    const { world, db } = exports;
    const { id } = await world.batchExports.create(world.projectId, buildExport({ name, paused: true, ...overrides }));
    if (!overrides.paused) await world.engine.stores.inTransaction(async (inside) => inside.pauses.end(id));
    await db('batch_export_pauses').where({ batch_export_id: id }).whereNotNull('unpaused_at').delete();
    await db('batch_exports')
      .where({ id })
      .update({ created_at: at(-3.5), ...(overrides.paused === undefined && { paused: false }) });
    for (const [index, one] of facts.entries())
      if (one) await storeInterval(exports, { exportId: id, ...hour(index - facts.length + 1) }, one);
    return id;
  }
  const DELIVERED: IntervalFacts = { delivered: true };
  const FAILED: IntervalFacts = { runs: [{ status: 'Failed', error: 'The bucket does not exist.' }] };
  const RETRIED: IntervalFacts = { runs: [{ status: 'FailedRetryable', error: 'The store is away.' }] };
  const ALL = [DELIVERED, DELIVERED, DELIVERED, DELIVERED];

  async function buildFive(): Promise<void> {
    await build('on time', ALL);
    await build('paused', ALL, { paused: true });
    await build('behind', [DELIVERED, undefined, DELIVERED, DELIVERED]);
    await build('retrying', [DELIVERED, DELIVERED, RETRIED, DELIVERED]);
    await build('needs you', [DELIVERED, FAILED, DELIVERED, DELIVERED]);
  }

  it('lists those first that need attention, and counts all of them', async () => {
    await buildFive();
    const all = await overview();
    assert.deepEqual(namesOf(all), ['needs you', 'retrying', 'behind', 'paused', 'on time']);
    assert.deepEqual(
      all.results.map(({ state }) => state),
      ['needs_you', 'retrying', 'behind', 'paused', 'on_time'],
    );
    assert.deepEqual(all.totals, { needs_you: 1, retrying: 1, behind: 1, paused: 1, on_time: 1 });
    assert.deepEqual([all.count, all.next, all.deliveries_blocked], [5, null, null]);
  });

  it('is paged and searched, and says only some states', async () => {
    await buildFive();
    const first = await overview('limit=2');
    assert.deepEqual([namesOf(first), first.count], [['needs you', 'retrying'], 5]);
    const { search } = new URL(first.next!);
    assert.deepEqual(namesOf(await overview(search.slice(1))), ['behind', 'paused']);
    const some = await overview('state=behind&state=on_time');
    assert.deepEqual([namesOf(some), some.count, some.totals['needs_you']], [['behind', 'on time'], 2, 1]);
    const found = await overview('search=PAUSE');
    assert.deepEqual([namesOf(found), found.totals['needs_you']], [['paused'], 0]);
    assert.deepEqual((await overview('search=clik')).results, []);
    const wrong = await exports.request('GET', '/batch_exports/overview/?state=late');
    assert.deepEqual([wrong.status, (wrong.body as { attr: string }).attr.split('__')[0]], [400, 'state']);
  });

  it('shows the last 48 intervals as the map does', async () => {
    const id = await build('mixed', [FAILED, { ...DELIVERED, requested: true }, RETRIED, DELIVERED]);
    const [{ recent }] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual(cellsOf(recent).length, 48);
    const { body } = await exports.request('GET', `/batch_exports/${id}/intervals/map/?start=${at(-48)}`);
    assert.deepEqual(cellsOf(recent), cellsOf(body as IntervalMapBody));
    assert.deepEqual(recent.states, ['--', 'ny', 'hw', 'nt', 'hi']);
  });

  it('shows the newest error, of what needs attention before what is retried, and when the next try comes', async () => {
    const id = await build('mixed', [FAILED, FAILED, RETRIED, RETRIED]);
    await build('retried', [DELIVERED, RETRIED, DELIVERED, DELIVERED]);
    const [mixed, retried] = (await overview()).results as [OverviewItemBody, OverviewItemBody];
    const run = await exports.world.engine.stores.runs.findNewestOfInterval(id, at(-2));
    assert.deepEqual(mixed.last_error, {
      data_interval_start: at(-3),
      data_interval_end: at(-2),
      reason: 'failed',
      detail: 'The bucket does not exist.',
      error: null,
      run_id: run?.id,
    });
    await exports
      .db('batch_export_runs')
      .where({ id: run!.id })
      .update({ error_code: 'bucket_not_found', error_owner: 'you', error_field: 'destination__config__bucket_name' });
    const [{ last_error: error }] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual(
      [error?.error?.code, error?.error?.owner, error?.error?.field],
      ['bucket_not_found', 'you', 'destination__config__bucket_name'],
    );
    assert.deepEqual([mixed.needs_you, mixed.retrying], [2, 2]);
    const soonest = await exports.world.engine.stores.runs.findNewestOfInterval(id, at(-1));
    assert.equal(Date.parse(mixed.next_try_at!), Date.parse(soonest!.finishedAt!) + 60_000);
    assert.deepEqual(
      [retried.last_error?.reason, retried.last_error?.detail, retried.last_error?.data_interval_end],
      [null, 'The store is away.', at(-2)],
    );
  });

  it('counts as retrying what a run in progress tries again, with the time of its next attempt', async () => {
    const id = await build('failing', [
      DELIVERED,
      DELIVERED,
      DELIVERED,
      { runs: [{ status: 'Running', error: 'The bucket does not exist.' }] },
    ]);
    await exports
      .db('batch_export_runs')
      .where({ batch_export_id: id, status: 'Running' })
      .update({ next_try_at: at(1) });
    const [failing] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual(
      [failing.state, failing.needs_you, failing.retrying, failing.last_error?.reason, failing.last_error?.detail],
      ['retrying', 0, 1, null, 'The bucket does not exist.'],
    );
    assert.deepEqual([Date.parse(failing.next_try_at!), failing.recent.states.at(-1)], [Date.parse(at(1)), 'nt']);
  });

  it('forgets a failure once the interval was delivered, is requested or was cancelled', async () => {
    const [failed] = FAILED.runs!;
    await build('fixed', [
      { runs: [failed!, { status: 'Completed' }] },
      { ...FAILED, requested: true },
      { runs: [failed!, { status: 'Cancelled' }] },
      { runs: [failed!, { status: 'Running' }] },
    ]);
    const [fixed] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual([fixed.needs_you, fixed.last_error], [0, null]);
    await build('left', [{ troubles: ['unsettled'] }, { troubles: ['gave_up'] }, { foreign: true }, DELIVERED]);
    const [left] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual([left.name, left.needs_you, left.last_error?.reason], ['left', 3, 'delivered_elsewhere']);
  });

  it('counts separately what needs attention while the earlier delivery stands, and has the newest delivery', async () => {
    const failedAgain = { ...FAILED, delivered: true };
    const id = await build('again', [
      DELIVERED,
      FAILED,
      { ...failedAgain, troubles: ['unsettled'] },
      failedAgain,
      failedAgain,
    ]);
    await exports
      .db('batch_export_intervals')
      .where({ batch_export_id: id, data_interval_end: at(-1) })
      .update({ state: 'committing' });
    await build('never', [FAILED]);
    const { results } = await overview();
    const [again, never] = ['again', 'never'].map((name) => results.find((one) => one.name === name)!) as [
      OverviewItemBody,
      OverviewItemBody,
    ];
    assert.deepEqual([again.needs_you, again.needs_you_held], [4, 1]);
    assert.deepEqual(
      [again.newest_delivery?.data_interval_start, again.newest_delivery?.data_interval_end],
      [at(-1), at(0)],
    );
    assert.deepEqual([never.needs_you, never.needs_you_held, never.newest_delivery], [1, 0, null]);
  });

  it('says that its counts are minimums where there may be more', async () => {
    const cancelled: IntervalFacts = { runs: [{ status: 'Cancelled', error: 'The run was cancelled.' }] };
    const id = await build('many', [...Array.from({ length: MAX_TROUBLED - 1 }, () => FAILED), cancelled]);
    const [exact] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual([exact.needs_you, exact.counts_are_minimums], [MAX_TROUBLED - 1, false]);
    for (const end of [-MAX_TROUBLED, -MAX_TROUBLED - 1])
      await storeInterval(exports, { exportId: id, ...hour(end) }, FAILED);
    const [least] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual([least.needs_you, least.counts_are_minimums], [MAX_TROUBLED, true]);
    // Intervals that were given up and unsettled ones share a limit.
    const troubles = (['gave_up', 'unsettled'] as const).map((kind) => ({ ...DELIVERED, troubles: [kind] }));
    await build(
      'mixed',
      Array.from({ length: MAX_TROUBLED }, (_, index) => troubles[index % 2]!),
    );
    const mixed = (await overview()).results.find(({ name }) => name === 'mixed');
    assert.equal(mixed?.counts_are_minimums, true);
    // Of many intervals whose run has not delivered, the oldest ones are not examined.
    const long = await build('long', [cancelled]);
    await exports.db.raw(
      `insert into batch_export_runs select (jsonb_populate_record(run, jsonb_build_object('id', gen_random_uuid(),
         'workflow_run_id', gen_random_uuid(), 'data_interval_start', data_interval_start - n * interval '1 hour',
         'data_interval_end', data_interval_end - n * interval '1 hour'))).*
       from batch_export_runs as run, generate_series(1, ?) as n where batch_export_id = ?`,
      [MAX_EXAMINED - 2, long],
    );
    const countsOf = async () => {
      const found = (await overview()).results.find(({ name }) => name === 'long');
      return [found?.needs_you, found?.counts_are_minimums];
    };
    assert.deepEqual(await countsOf(), [0, false]);
    for (const end of [-MAX_EXAMINED, -MAX_EXAMINED - 1])
      await storeInterval(exports, { exportId: long, ...hour(end) }, FAILED);
    assert.deepEqual(await countsOf(), [1, true]);
  });

  it('says how long an interval was due before an export is behind: its target, or a quarter of an hour', async () => {
    const id = await build('behind', [DELIVERED, undefined, DELIVERED, DELIVERED]);
    const target = (freshness_target_seconds: number | null) =>
      exports.db('batch_exports').where({ id }).update({ freshness_target_seconds });
    const stateOf = async () => (await overview()).results[0]?.state;
    assert.equal(await stateOf(), 'behind');
    await target(4 * 3_600);
    assert.equal(await stateOf(), 'on_time');
    await target(60);
    const [one] = (await overview()).results as [OverviewItemBody];
    assert.deepEqual([one.state, one.complete_until, one.freshness_target_seconds], ['behind', at(-3), 60]);
    assert.ok(one.lag_seconds >= 2 * 3_600);
  });

  it('offers what a pause has left out, also after it, as unpausing with a backfill delivers it', async () => {
    const buildPaused = async () => {
      const id = await build('paused', [DELIVERED, undefined, undefined, DELIVERED], { paused: true });
      await exports
        .db('batch_export_pauses')
        .where({ batch_export_id: id })
        .update({ paused_at: at(-3.2) });
      return id;
    };
    const missed = async () => (await overview()).results.map((one) => one.missed_while_paused);
    const expected = { intervals: 2, start_at: at(-3), end_at: at(-1) };
    const [quiet, filled] = [await buildPaused(), await buildPaused()];
    assert.deepEqual(await missed(), [expected, expected]);
    await exports.request('POST', `/batch_exports/${quiet}/unpause/`, {});
    const { headers } = await exports.request('POST', `/batch_exports/${filled}/unpause/`, { backfill: true });
    const { pathname } = new URL(headers.get('location')!);
    const { body } = await exports.api.request('GET', pathname, { key: exports.key });
    const { start_at, end_at, progress } = body as {
      start_at: string;
      end_at: string;
      progress: { total_runs: number };
    };
    assert.deepEqual({ intervals: progress.total_runs, start_at, end_at }, expected);
    const after = (await overview()).results;
    assert.deepEqual(after.find(({ id }) => id === quiet)?.missed_while_paused, expected);
    assert.equal(after.find(({ id }) => id === filled)?.missed_while_paused, null, 'requested by now');
  });

  it('names places for people, and no secret', async () => {
    const S3 = {
      bucket_name: 'lake',
      region: 'eu-west-1',
      aws_access_key_id: 'AKIASECRET',
      aws_secret_access_key: 'hush',
    };
    const Postgres = {
      host: 'localhost',
      port: 15432,
      user: 'u',
      password: 'hush',
      database: 'd',
      schema: 'public',
      table_name: 'clicks',
    };
    const folder = randomUUID();
    for (const [type, config] of [
      ['S3', { ...S3, prefix: 'orders/' }],
      ['S3', S3],
      ['Postgres', Postgres],
      ['LocalFile', { directory: folder, prefix: '{year}' }],
    ] as const) {
      const wanted = { name: type, interval: 'hour', destination: { type, config } };
      const { status, body } = await exports.request('POST', '/batch_exports/', wanted);
      assert.equal(status, 201, JSON.stringify(body));
    }
    const { results } = await overview();
    assert.deepEqual(
      results.map(({ destination }) => [destination.type, destination.label]),
      [
        ['LocalFile', `${folder}/{year}`],
        ['Postgres', 'public.clicks'],
        ['S3', 's3://lake'],
        ['S3', 's3://lake/orders'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(results), /hush|AKIA|localhost/);
    assert.deepEqual(namesOf(await overview('search=public.cl')), ['Postgres']);
  });

  it('shows what its caller may see, with their level', async () => {
    const { db, world, api } = exports;
    const hidden = await build('hidden', [FAILED]);
    const shown = await build('shown');
    const project = (await db('projects').where({ id: world.projectId }).first()) as { organization_id: string };
    const ours = { organizationId: project.organization_id, userId: 0, projectId: world.projectId, apiToken: '' };
    const colleague = await buildMember(db, ours);
    for (const [level, id] of [
      ['none', hidden],
      ['viewer', shown],
    ] as const)
      // prettier-ignore
      await buildRule(db, ours, level, { resource: 'batch_export', resource_id: id, membership_id: colleague.membershipId });
    const address = `/api/projects/${world.projectId}/batch_exports/overview/`;
    const body = (await api.request('GET', address, { key: colleague.key })).body as Overview;
    assert.deepEqual([namesOf(body), body.results[0]?.user_access_level], [['shown'], 'viewer']);
    assert.deepEqual([body.count, body.totals['needs_you']], [1, 0]);
    const one = await api.request('GET', address.replace('overview', shown), { key: colleague.key });
    assert.equal((one.body as { user_access_level: string }).user_access_level, 'viewer');
    const list = await api.request('GET', address.replace('overview/', ''), { key: colleague.key });
    const [first] = (list.body as { results: { user_access_level: string }[] }).results;
    assert.equal(first?.user_access_level, 'viewer');
    assert.equal((await overview()).results[0]?.user_access_level, 'editor', 'of a key of the project');
    assert.equal(body.user_access_level, 'editor', 'rules about single exports say nothing about new ones');
    const viewer = await buildMember(db, ours);
    await buildRule(db, ours, 'viewer', { resource: 'batch_export', membership_id: viewer.membershipId });
    const seen = (await api.request('GET', address, { key: viewer.key })).body as Overview;
    assert.deepEqual([seen.user_access_level, seen.results[0]?.user_access_level], ['viewer', 'viewer']);
  });

  it('says that nothing is delivered until an operator has recovered the installation', async () => {
    await exports.db('timeline').update({ blocked: 'differs' });
    assert.match((await overview()).deliveries_blocked ?? '', /^Deliveries are blocked: .*sluice recover/);
    await exports.db('timeline').update({ blocked: null });
  });

  it('takes as many queries for thirty exports as for one', async () => {
    const db = createKnex({ url: exports.world.options.databaseUrl, applicationName: 'test' });
    try {
      let queries = 0;
      db.on('query', () => (queries += 1));
      const overviews = exportOverviews({ stores: exportStores(db) });
      const everything = { search: '', states: [], limit: 100, offset: 0 };
      const count = async () => {
        queries = 0;
        const { results } = await overviews.of(exports.world.projectId, { madeBy: null, except: [] }, everything);
        return [results.length, queries];
      };
      await build('one', [DELIVERED, FAILED, RETRIED, DELIVERED], { paused: true });
      const [, forOne] = await count();
      for (let number = 0; number < 29; number += 1)
        await build(`number ${number}`, [DELIVERED, FAILED, RETRIED, undefined], { paused: true });
      assert.deepEqual(await count(), [30, forOne]);
      assert.ok(forOne! <= 20, `${forOne} queries`);
    } finally {
      await db.destroy();
    }
  });
});
