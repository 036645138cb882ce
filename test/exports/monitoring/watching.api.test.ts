/** `notifications`, `freshness_target_seconds`, `complete_until`, `lag_seconds`, `paused_reason`: how an export is watched. */
import assert from 'node:assert/strict';
import { watchFreshness } from '../../../activities/rounds/watch-freshness.ts';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { buildExport } from '../../support/exports/export-world.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);
const SECRET = `whsec_${Buffer.alloc(24, 'secret').toString('base64')}`;
const ALL = [
  'failed',
  'recovered',
  'paused',
  'behind_schedule',
  'gave_up',
  'stale',
  'overlapping',
  'schedule_changed',
  'keeping_files',
  'source_expiring',
];

type Shown = {
  id: string;
  paused: boolean;
  paused_reason: string | null;
  complete_until: string | null;
  lag_seconds: number;
  freshness_target_seconds: number | null;
  notifications: { webhook: { url: string } | null; emails: string[]; on: string[] } | null;
};

const wanted = (overrides: Record<string, unknown> = {}) => ({
  name: 'Watched',
  destination: { type: 'LocalFile', config: { directory: crypto.randomUUID() } },
  interval: 'hour',
  paused: true,
  ...overrides,
});

const lagOf = (since: number) => Math.floor((Date.now() - (THIS_HOUR + since * HOUR)) / 1000);

function assertLag(shown: Shown, hours: number) {
  assert.ok(Math.abs(shown.lag_seconds - lagOf(hours)) <= 60, `${shown.lag_seconds} s, not ${lagOf(hours)}`);
}

describe('an export is watched', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  const create = async (overrides: Record<string, unknown> = {}) => {
    const answer = await exports.request('POST', '/batch_exports/', wanted(overrides));
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body as Shown;
  };
  const patch = (id: string, change: Record<string, unknown>) =>
    exports.request('PATCH', `/batch_exports/${id}/`, change);
  const get = async (id: string) => (await exports.request('GET', `/batch_exports/${id}/`)).body as Shown;
  const row = async (id: string): Promise<BatchExport> => exports.world.batchExports.get(exports.world.projectId, id);

  /** A running export as if it had been made five and a half hours ago; its last interval ends an hour ago. */
  async function buildOld(targetSeconds: number | null = null) {
    const { world, db } = exports;
    const notifications = { webhook: { url: 'http://127.0.0.1:18080/', secret: SECRET } };
    const overrides = { paused: false, endAt: at(0), freshnessTargetSeconds: targetSeconds, notifications };
    const { id } = await world.batchExports.create(world.projectId, buildExport(overrides));
    await db('batch_exports')
      .where({ id })
      .update({ created_at: at(-5.5) });
    return id;
  }
  /** Delivers the interval that ends then, in hours from the beginning of this one. */
  async function deliver(exportId: string, hours: number) {
    const { runs, ledger } = exports.world.engine.stores;
    const [start, end] = [at(hours - 1), at(hours)];
    const run = await runs.open({
      projectId: exports.world.projectId,
      batchExportId: exportId,
      start,
      end,
      kind: 'scheduled',
      workflowId: crypto.randomUUID(),
      workflowRunId: crypto.randomUUID(),
      createdAt: await exports.world.engine.stores.batchExports.now(),
    });
    const hold = { exportId, start, end };
    const epoch = await ledger.takeEpoch(hold, run.id);
    await ledger.beginCommit({ ...hold, epoch });
    const receipt = { rows: 0, bytes: 0, location: 'there', digest: '0', cutoff: at(1) } as never;
    await ledger.markDelivered({ ...hold, epoch }, receipt);
    await runs.close(run.id, { status: 'Completed', closedBy: 'run' });
  }
  const noticeKinds = async (id: string) =>
    (
      (await exports.db('notifications').where({ batch_export_id: id }).orderBy('created_at')) as { kind: string }[]
    ).map(({ kind }) => kind);

  describe('by its subscribers:', () => {
    it('none, when none are named', async () => {
      const { notifications, freshness_target_seconds: target } = await create();
      assert.deepEqual([notifications, target], [null, null]);
    });

    it('a webhook, of everything when it does not say of what, and without its secret', async () => {
      const hook = { url: 'http://127.0.0.1:18080/hook?a=b', secret: SECRET };
      const created = await create({ notifications: { webhook: hook } });
      const shown = { webhook: { url: hook.url }, emails: [], on: ALL };
      assert.deepEqual(created.notifications, shown);
      assert.deepEqual((await get(created.id)).notifications, shown);
      const { notificationSecret } = await row(created.id);
      assert.ok(notificationSecret && !notificationSecret.includes(hook.secret));
    });

    it('the same ones after a PATCH that leaves them out, with the secret; none after null', async () => {
      const { id } = await create({
        notifications: { webhook: { url: 'http://127.0.0.1:18080/a', secret: SECRET }, on: ['paused'] },
      });
      const before = (await row(id)).notificationSecret;
      const moved = await patch(id, { notifications: { webhook: { url: 'http://127.0.0.1:18080/b' } } });
      assert.deepEqual((moved.body as Shown).notifications, {
        webhook: { url: 'http://127.0.0.1:18080/b' },
        emails: [],
        on: ['paused'],
      });
      assert.equal((await row(id)).notificationSecret, before);
      await patch(id, { name: 'Still watched' });
      assert.equal((await row(id)).notificationSecret, before);
      await patch(id, { notifications: { on: ['failed'] } });
      assert.equal((await row(id)).notificationSecret, before);
      assert.equal(((await patch(id, { notifications: null })).body as Shown).notifications, null);
      assert.equal((await row(id)).notificationSecret, null);
    });

    const url = 'http://127.0.0.1:18080/hook';
    const refusals: [notifications: unknown, code: string, attr: string, detail: RegExp][] = [
      ['me', 'invalid_input', 'notifications__non_field_errors', /Expected a dictionary/],
      [{ webhook: { url } }, 'required', 'notifications__webhook__secret', /^This field is required\.$/],
      [{ webhook: {} }, 'required', 'notifications__webhook__url', /required/],
      [
        { webhook: { url, secret: 'short' } },
        'invalid_input',
        'notifications__webhook__secret',
        /pattern: `whsec_` followed by the base64 of 24 to 64 bytes/,
      ],
      ...(
        [
          // Where names are known, because of `http://`; elsewhere, as a host that is not known.
          ['http://example.com/', /^(This host cannot be used|http:\/\/ is only for hosts)/],
          ['https://10.0.0.1/', /^This host cannot be used/],
          ['https://169.254.169.254/latest', /^This host cannot be used/],
          ['ftp://127.0.0.1/', /^Must be an address such as/],
          ['http://user@127.0.0.1:18080/', /^Must be an address such as/],
          ['http://127.0.0.1:18080/#part', /^Must be an address such as/],
          ['http://127.0.0.1:5432/', /^This port cannot be used/],
          ['nowhere', /^Must be an address such as/],
        ] as const
      ).map(([refused, detail]): [unknown, string, string, RegExp] => [
        { webhook: { url: refused, secret: SECRET } },
        'invalid_input',
        'notifications__webhook__url',
        detail,
      ]),
      [{ emails: ['me'] }, 'invalid_input', 'notifications__emails__0', /pattern/],
      [{ emails: ['a@example.com,b@example.com'] }, 'invalid_input', 'notifications__emails__0', /pattern/],
      [{ emails: 'a@example.com' }, 'not_a_list', 'notifications__emails', /Expected a list/],
      [
        { emails: Array.from({ length: 11 }, (_, index) => `${index}@example.com`) },
        'max_length',
        'notifications__emails',
        /no more than 10/,
      ],
      [{ emails: ['a@example.com'] }, 'invalid_input', 'notifications__emails', /has not set SMTP_URL/],
      [{ on: ['everything'] }, 'invalid_choice', 'notifications__on__0', /"everything" is not a valid choice/],
    ];
    for (const [notifications, code, attr, detail] of refusals) {
      it(`not ${JSON.stringify(notifications).slice(0, 90)}: ${code}`, async () => {
        const { status, body } = await exports.request('POST', '/batch_exports/', wanted({ notifications }));
        const error = body as { code: string; attr: string; detail: string };
        assert.deepEqual([status, error.code, error.attr], [400, code, attr], error.detail);
        assert.match(error.detail, detail);
      });
    }
  });

  describe('by its target', () => {
    for (const [target, code] of [
      [0, 'min_value'],
      [31_536_001, 'max_value'],
      [1.5, 'invalid_input'],
      ['soon', 'invalid_input'],
    ] as const) {
      it(`which is not ${target}: ${code}`, async () => {
        const given = wanted({ freshness_target_seconds: target });
        const { status, body } = await exports.request('POST', '/batch_exports/', given);
        const error = body as { code: string; attr: string };
        assert.deepEqual([status, error.code, error.attr], [400, code, 'freshness_target_seconds']);
      });
    }

    it('which a PATCH sets and takes away', async () => {
      const { id } = await create({ freshness_target_seconds: 600 });
      assert.equal((await get(id)).freshness_target_seconds, 600);
      await patch(id, { freshness_target_seconds: 60 });
      assert.equal((await get(id)).freshness_target_seconds, 60);
      await patch(id, { freshness_target_seconds: null });
      assert.equal((await get(id)).freshness_target_seconds, null);
    });
  });

  it('by the reason why it paused itself, until it is unpaused', async () => {
    const { id } = await create();
    await exports.world.engine.stores.batchExports.update(id, { pausedReason: '12 of the last 24 runs failed.' });
    assert.equal((await get(id)).paused_reason, '12 of the last 24 runs failed.');
    await exports.request('POST', `/batch_exports/${id}/unpause/`);
    const { paused, paused_reason: reason } = await get(id);
    assert.deepEqual([paused, reason], [false, null]);
  });

  describe('by how far it has delivered', () => {
    it('nothing yet: the first interval has been due since its end', async () => {
      const shown = await get(await buildOld());
      assert.equal(shown.complete_until, null);
      assertLag(shown, -5);
    });

    it('up to the first hole, at once', async () => {
      const id = await buildOld();
      for (const hours of [-5, -4, -2]) await deliver(id, hours);
      const shown = await get(id);
      assert.equal(shown.complete_until, at(-4));
      assertLag(shown, -3);
      await deliver(id, -3);
      assert.equal((await get(id)).complete_until, at(-2));
    });

    it('all of it: no lag', async () => {
      const id = await buildOld();
      for (const hours of [-5, -4, -3, -2, -1, 0]) await deliver(id, hours);
      const { complete_until: until, lag_seconds: lag } = await get(id);
      assert.deepEqual([until, lag], [at(0), 0]);
    });

    it('in the list as in each one', async () => {
      const id = await buildOld();
      await deliver(id, -5);
      const { results } = (await exports.request('GET', '/batch_exports/')).body as { results: Shown[] };
      for (const one of results) {
        const alone = await get(one.id);
        assert.equal(one.complete_until, alone.complete_until);
        assert.ok(Math.abs(one.lag_seconds - alone.lag_seconds) <= 60);
      }
    });

    it('which the reconciler remembers, with one notice when it is behind its target and one when it no longer is', async () => {
      const { engine } = exports.world;
      const id = await buildOld(3_600);
      await deliver(id, -5);
      await watchFreshness(engine, new AbortController().signal);
      await watchFreshness(engine, new AbortController().signal);
      assert.deepEqual(await noticeKinds(id), ['behind_schedule']);
      const { results } = await engine.stores.logs.list({ batchExportId: id, limit: 10, offset: 0 });
      assert.match(
        results[0]!.message,
        /^Behind schedule: a data interval has been due or out of date for \d+ s, the target is 3600 s\.$/,
      );
      const [watched] = await engine.stores.freshness.listWatchedExports([id]);
      assert.equal(watched?.completeUntil, millisOf(at(-5)));
      for (const hours of [-4, -3, -2, -1, 0]) await deliver(id, hours);
      await watchFreshness(engine, new AbortController().signal);
      await watchFreshness(engine, new AbortController().signal);
      assert.deepEqual(await noticeKinds(id), ['behind_schedule', 'recovered']);
    });

    it('but without a notice of one that is paused, or has no target', async () => {
      const [paused, aimless] = [await buildOld(3_600), await buildOld()];
      await exports.world.batchExports.pause(exports.world.projectId, paused);
      await watchFreshness(exports.world.engine, new AbortController().signal);
      assert.deepEqual([await noticeKinds(paused), await noticeKinds(aimless)], [[], []]);
    });
  });
});
