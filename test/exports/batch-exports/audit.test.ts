/** The audit log of batch exports: an entry for every operation that changes something, none for one that is refused. */
import assert from 'node:assert/strict';
import {
  buildRun,
  buildStoredExport,
  memberKey,
  startExportsApi,
  type ExportsApi,
} from '../../support/api/exports-api.ts';

type Entry = {
  scope: string;
  item_id: string;
  activity: string;
  user_id: number | null;
  key_id: string | null;
  detail: { changes: { field: string; before: unknown; after: unknown }[] };
};

const HOUR = { start_at: '2015-05-17T10:00:00Z', end_at: '2015-05-17T11:00:00Z' };

describe('the activity log of batch exports', () => {
  let exports: ExportsApi;
  let key: string;
  before(async () => {
    exports = await startExportsApi();
    key = await memberKey(exports.db, exports.world.projectId, '*');
  });
  after(() => exports.close());

  const entries = () =>
    exports
      .db<Entry>('activity_log')
      .where({ project_id: exports.world.projectId } as never)
      .orderBy('created_at');

  /** @returns what was written meanwhile */
  async function entriesOfRequest(method: string, path: string, body?: unknown, status = 200): Promise<Entry[]> {
    const before = (await entries()).length;
    const answer = await exports.request(method, path, body, { Authorization: `Bearer ${key}` });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return (await entries()).slice(before);
  }

  async function onlyEntryOf(...asked: Parameters<typeof entriesOfRequest>): Promise<Entry> {
    const [entry, ...others] = await entriesOfRequest(...asked);
    assert.ok(entry && others.length === 0);
    assert.ok(entry.user_id !== null && entry.key_id !== null);
    return entry;
  }

  it('records who made, changed, paused, unpaused and deleted one', async () => {
    const body = {
      name: 'mine',
      interval: 'hour',
      paused: true,
      destination: { type: 'LocalFile', config: { directory: 'log' } },
    };
    const made = await onlyEntryOf('POST', '/batch_exports/', body, 201);
    assert.deepEqual([made.scope, made.activity, made.detail.changes], ['BatchExport', 'created', []]);
    const path = `/batch_exports/${made.item_id}/`;
    const renamed = await onlyEntryOf('PATCH', path, { name: 'yours' });
    assert.deepEqual(renamed.detail.changes, [
      { type: 'BatchExport', action: 'changed', field: 'name', before: 'mine', after: 'yours' },
    ]);
    const unpaused = await onlyEntryOf('POST', `${path}unpause/`, {});
    assert.deepEqual(unpaused.detail.changes.find(({ field }) => field === 'paused')?.after, false);
    assert.deepEqual(await entriesOfRequest('POST', `${path}unpause/`, {}), [], 'nothing changed');
    assert.equal((await onlyEntryOf('POST', `${path}pause/`, {})).activity, 'updated');
    assert.equal((await onlyEntryOf('DELETE', path, undefined, 204)).activity, 'deleted');
  });

  it('records who started backfills and retries, and who ended them', async () => {
    const stored = await buildStoredExport(exports);
    const path = `/batch_exports/${stored.id}`;
    const created = await onlyEntryOf('POST', `${path}/backfills/`, HOUR, 201);
    assert.deepEqual([created.scope, created.activity], ['BatchExportBackfill', 'created']);
    const ended = await onlyEntryOf('POST', `${path}/backfills/${created.item_id}/cancel/`);
    assert.deepEqual(
      ended.detail.changes.map(({ field, after }) => [field, after]),
      [['status', 'Cancelled']],
    );
    assert.deepEqual(
      await entriesOfRequest('POST', `${path}/backfills/`, { ...HOUR, dry_run: true }),
      [],
      'a preview changes nothing',
    );
    const run = await buildRun(exports, stored, 3);
    const cancelled = await onlyEntryOf('POST', `${path}/runs/${run.id}/cancel/`);
    assert.deepEqual([cancelled.scope, cancelled.item_id], ['BatchExportRun', run.id]);
  });

  it('names the secrets of integrations, without values', async () => {
    const secrets = { aws_access_key_id: 'canary-id', aws_secret_access_key: 'canary-key' };
    const made = await onlyEntryOf('POST', '/integrations/', { kind: 'aws-s3', config: secrets }, 201);
    assert.deepEqual([made.scope, made.activity], ['Integration', 'created']);
    const path = `/integrations/${made.item_id}/`;
    const changed = await onlyEntryOf('PATCH', path, { config: { aws_secret_access_key: 'canary-other' } });
    assert.deepEqual(
      changed.detail.changes.map(({ field }) => field),
      ['aws_secret_access_key'],
    );
    assert.equal((await onlyEntryOf('DELETE', path, undefined, 204)).activity, 'deleted');
    assert.ok(!JSON.stringify(await entries()).includes('canary'));
  });

  it('has no entries for refused requests', async () => {
    const { id } = await buildStoredExport(exports);
    assert.deepEqual(await entriesOfRequest('PATCH', `/batch_exports/${id}/`, { interval: 'never' }, 400), []);
    assert.deepEqual(await entriesOfRequest('DELETE', '/integrations/999999/', undefined, 404), []);
  });
});
