import assert from 'node:assert/strict';
import { buildStoredExport, memberKey, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Pause = {
  by: { kind: string; user: { id: number; email: string } | null } | null;
  at: string | null;
  reason: string | null;
  resume_at: string | null;
};
type Shown = { paused: boolean; pause: Pause | null; paused_reason: string | null };

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

describe('a pause, over HTTP', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  const request: ExportsApi['request'] = (...args) => exports.request(...args);
  const shown = async (id: string) => (await request('GET', `/batch_exports/${id}/`)).body as Shown;
  const pauseOf = async (id: string) => {
    const { reason, resume_at: at } = (await shown(id)).pause!;
    return [reason, at === null ? null : Date.parse(at)];
  };
  async function createRunningExport(): Promise<string> {
    const { id } = await buildStoredExport(exports);
    await request('POST', `/batch_exports/${id}/unpause/`);
    return id;
  }
  const pause = async (id: string, body?: unknown) => {
    const answer = await request('POST', `/batch_exports/${id}/pause/`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body, '');
  };

  it('shows who began it, when, why and until when', async () => {
    const id = await createRunningExport();
    const key = await memberKey(exports.db, exports.world.projectId, '*');
    const resume_at = inHours(1);
    const path = `/api/environments/${exports.world.projectId}/batch_exports/${id}/pause/`;
    const before = Date.now();
    const answer = await exports.api.request('POST', path, { key, body: { reason: '  The bucket moves ', resume_at } });
    assert.deepEqual([answer.status, answer.body], [200, '']);
    const { paused, pause: one, paused_reason: reason } = await shown(id);
    assert.deepEqual([paused, reason], [true, null], 'it did not pause by itself');
    assert.equal(one?.by?.kind, 'user');
    assert.match(one?.by?.user?.email ?? '', /@/);
    assert.ok(Math.abs(Date.parse(one!.at!) - before) < 10_000);
    assert.deepEqual(await pauseOf(id), ['The bucket moves', Date.parse(resume_at)]);
  });

  it('needs no body, and says then who began it and no more', async () => {
    const id = await createRunningExport();
    await pause(id);
    assert.deepEqual((await shown(id)).pause?.by, { kind: 'project_key', user: null });
    assert.deepEqual(await pauseOf(id), [null, null]);
  });

  it('that an export is made with, or is given by PATCH, has a beginner as well', async () => {
    const { id } = await buildStoredExport(exports);
    const created = await request('POST', '/batch_exports/', {
      name: 'Made in a pause',
      interval: 'hour',
      paused: true,
      destination: { type: 'LocalFile', config: { directory: 'made-in-a-pause' } },
    });
    assert.equal((created.body as Shown).pause?.by?.kind, 'project_key');
    await request('PATCH', `/batch_exports/${id}/`, { paused: false });
    assert.equal((await shown(id)).pause, null);
    await request('PATCH', `/batch_exports/${id}/`, { paused: true });
    assert.equal((await shown(id)).pause?.by?.kind, 'project_key');
  });

  it('is described anew while it lasts: omitted fields stay, null clears them', async () => {
    const id = await createRunningExport();
    const [first, second] = [inHours(1), inHours(2)];
    await pause(id, { reason: 'A', resume_at: first });
    const began = (await shown(id)).pause!.at;
    await pause(id);
    assert.deepEqual(await pauseOf(id), ['A', Date.parse(first)]);
    await pause(id, { resume_at: second });
    assert.deepEqual(await pauseOf(id), ['A', Date.parse(second)]);
    await pause(id, { reason: 'B', resume_at: null });
    assert.deepEqual(await pauseOf(id), ['B', null]);
    assert.equal((await shown(id)).pause!.at, began);
  });

  it('that changes nothing leaves no entry and no new version', async () => {
    const id = await createRunningExport();
    const resume_at = inHours(1);
    await pause(id, { reason: 'A', resume_at });
    const state = async () => [
      (await exports.db('batch_exports').where({ id }).first('version')) as unknown,
      (await exports.db('activity_log').where({ item_id: id })).length,
    ];
    const before = await state();
    await pause(id, { reason: 'A', resume_at });
    await pause(id, {});
    assert.deepEqual(await state(), before);
  });

  it('is recorded in the activity log with its reason', async () => {
    const id = await createRunningExport();
    await pause(id, { reason: 'The bucket moves' });
    const [entry] = (await exports
      .db('activity_log')
      .where({ item_id: id })
      .orderBy('created_at', 'desc')
      .limit(1)) as {
      detail: { changes: { field: string; before: unknown; after: unknown }[] };
    }[];
    assert.deepEqual(
      entry!.detail.changes.find(({ field }) => field === 'pause'),
      {
        type: 'BatchExport',
        action: 'created',
        field: 'pause',
        before: null,
        after: { reason: 'The bucket moves', resume_at: null },
      },
    );
  });

  it('is forgotten when a user ends it, the time to resume too', async () => {
    const id = await createRunningExport();
    await pause(id, { reason: 'A', resume_at: inHours(1) });
    await request('POST', `/batch_exports/${id}/unpause/`);
    assert.equal((await shown(id)).pause, null);
    await pause(id);
    assert.deepEqual(await pauseOf(id), [null, null]);
  });

  it('is taken for one of Sluice’s own after too many failures', async () => {
    const id = await createRunningExport();
    const { stores } = exports.world.engine;
    await stores.pauses.begin(id, { by: 'sluice', userId: null }, { reason: '12 of the last 24 runs failed.' });
    await stores.batchExports.update(id, { paused: true, pausedReason: '12 of the last 24 runs failed.' });
    assert.deepEqual((await shown(id)).pause?.by, { kind: 'sluice', user: null });
    await pause(id, { resume_at: inHours(1) });
    assert.deepEqual((await shown(id)).pause?.by, { kind: 'sluice', user: null }, 'only its end was chosen');
    await pause(id, { reason: 'I look into it' });
    assert.deepEqual((await shown(id)).pause?.by, { kind: 'project_key', user: null });
  });

  const refused: { what: string; body: object; attr: string }[] = [
    { what: 'a time that has passed', body: { resume_at: inHours(-1) }, attr: 'resume_at' },
    { what: 'a time more than a year ahead', body: { resume_at: inHours(24 * 367) }, attr: 'resume_at' },
    { what: 'no time at all', body: { resume_at: 'Monday' }, attr: 'resume_at' },
    { what: 'a reason that is no text', body: { reason: 5 }, attr: 'reason' },
    { what: 'a reason of 401 characters', body: { reason: 'x'.repeat(401) }, attr: 'reason' },
    { what: 'a misspelt field', body: { resum_at: inHours(1) }, attr: 'resum_at' },
  ];
  for (const { what, body, attr } of refused) {
    it(`is refused with ${what}`, async () => {
      const id = await createRunningExport();
      const answer = await request('POST', `/batch_exports/${id}/pause/`, body);
      assert.deepEqual([answer.status, (answer.body as { attr: string }).attr], [400, attr]);
      assert.equal((await shown(id)).paused, false);
    });
  }

  it('takes the other fields of the contract, and ignores them', async () => {
    const id = await createRunningExport();
    await pause(id, { name: 'x', start_at: '2015-05-17', end_at: null, last_paused_at: '2015-05-17', paused: false });
    assert.equal((await shown(id)).paused, true);
  });
});
