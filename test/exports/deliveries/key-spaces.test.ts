/** No two exports of an installation may ever write the same key, and what an export may write is known before it does. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { noticeOverlaps } from '../../../activities/rounds/notice-overlaps.ts';
import { Conflict } from '../../../src/platform/errors.ts';
import { pinnedDestination } from '../../../src/exports/integrations/pinned-destination.ts';
import { NOTICE_KINDS } from '../../../src/platform/notify/notice.ts';
import { buildExport, buildExportWorld, type ExportWorld } from '../../support/exports/export-world.ts';

describe('the key space of an export', () => {
  let world: ExportWorld;
  let root: string;
  before(async () => {
    world = await buildExportWorld();
  });
  after(async () => world.close());
  beforeEach(() => {
    root = randomUUID();
  });

  const create = (directory: string, model: 'events' | 'persons' = 'events') =>
    world.batchExports.create(
      world.projectId,
      buildExport({
        model,
        destination: { type: 'LocalFile', config: { directory: `${root}/${directory}` } },
        paused: true,
      }),
    );
  const move = (id: string, directory: string) =>
    world.batchExports.patch(world.projectId, id, {
      destination: { type: 'LocalFile', config: { directory: `${root}/${directory}` } },
    });
  const sql = (text: string, values: unknown[]) => world.engine.pool.query(text, values);

  for (const [one, other] of [
    ['{year}', '2025'],
    ['2025', '{year}'],
    ['{year}/{month}', '2025/{day}'],
    ['{table}', 'events'],
  ] as const) {
    it(`is refused while another export has keys in common: ${other} beside ${one}`, async () => {
      await create(one);
      await assert.rejects(create(other), Conflict);
      const { id } = await create('elsewhere');
      await assert.rejects(move(id, other), Conflict);
    });
  }

  it('names the model: two models share a prefix that does', async () => {
    await create('{table}');
    await create('{table}', 'persons');
    await assert.rejects(create('persons'), Conflict);
  });

  it('is compared with those of exports that an earlier version stored', async () => {
    const { id } = await create('{table}');
    await sql('update batch_exports set key_space = $2 where id = $1', [
      id,
      `local:${world.projectId}/${root}/{table}`,
    ]);
    await assert.rejects(create('events'), Conflict);
    await create('persons');
    const pinned = pinnedDestination(await world.engine.stores.batchExports.getIncludingDeleted(id));
    assert.equal(pinned.keySpace, `local:${world.projectId}/${root}/{table}`, 'as it is reserved');
    assert.equal((await move(id, '{table}')).id, id);
  });

  it('is given to one of many that want it at once', async () => {
    // All of them have 2025 in common.
    const wanted = ['{year}', '2025', '20{second}', '{minute}{second}', '2{second}5'];
    const results = await Promise.allSettled(wanted.map((directory) => create(directory)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) if (result.status === 'rejected') assert.ok(result.reason instanceof Conflict);
  });

  it('is free again once its export is deleted, or has moved', async () => {
    const one = await create('{year}');
    await move(one.id, 'elsewhere');
    const two = await create('2025');
    await world.batchExports.delete(world.projectId, two.id);
    await move(one.id, '{year}');
  });

  describe('where two overlap since before this was checked', () => {
    let older: string;
    let newer: string;
    beforeEach(async () => {
      older = (await create('{year}')).id;
      newer = (await create('elsewhere')).id;
      const config = { directory: `${root}/2025`, prefix: '', file_format: 'JSONLines', compression: null };
      await sql(
        'update batch_exports set key_space = $2, destination_config = destination_config || $3::jsonb where id = $1',
        [newer, `local:${world.projectId}/${root}/2025`, JSON.stringify(config)],
      );
    });

    it('stays valid for both, whatever else of them is changed', async () => {
      for (const id of [older, newer]) {
        await world.batchExports.patch(world.projectId, id, { name: 'renamed' });
        const patched = await world.batchExports.patch(world.projectId, id, {
          destination: { type: 'LocalFile', config: { compression: 'gzip' } },
        });
        assert.equal(patched.destinationConfig['compression'], 'gzip');
      }
    });

    it('is reported to the owners of both, once', async () => {
      const notifications = { webhook: { url: 'https://example.com/' }, emails: [], on: [...NOTICE_KINDS] };
      await sql('update batch_exports set notifications = $2 where id = any($1)', [[older, newer], notifications]);
      const notifiedExports = async () =>
        (
          await world.engine.pool.query<{ id: string }>(
            `select batch_export_id as id from notifications where kind = 'overlapping' and batch_export_id = any($1)`,
            [[older, newer]],
          )
        ).rows.map(({ id }) => id);
      await noticeOverlaps({ ...world.engine }, new AbortController().signal);
      await noticeOverlaps({ ...world.engine }, new AbortController().signal);
      assert.deepEqual((await notifiedExports()).sort(), [older, newer].sort());
      await move(newer, 'elsewhere');
      await noticeOverlaps({ ...world.engine }, new AbortController().signal);
      assert.ok(!(await world.engine.stores.health.listExportsWith('overlapping')).includes(older));
    });

    describe('in a bucket of hundreds', () => {
      const many = 400;
      const inOneBucket = () => {
        const live = Array.from({ length: many }, (_, index) => ({
          exportId: randomUUID(),
          keySpace: `s3:aws/bucket/{year}/{month}/customer-${index}`,
          model: 'events' as const,
        }));
        const { places, ...stores } = world.engine.stores;
        return { ...world.engine, stores: { ...stores, places: { ...places, listLive: async () => live } } };
      };

      it('is compared with the others while everything else has its turn', async () => {
        const ended = new AbortController();
        const compared = noticeOverlaps(inOneBucket(), new AbortController().signal).finally(() => ended.abort());
        let turns = 0;
        for (; !ended.signal.aborted; turns += 1) await othersTurn();
        assert.equal(await compared, 0);
        assert.ok(turns >= many, `${turns} turns`);
      });

      it('is given up at the deadline, until the next hour', async () => {
        const deadline = new AbortController();
        const engine = inOneBucket();
        const compared = noticeOverlaps(engine, deadline.signal);
        await othersTurn();
        deadline.abort();
        await assert.rejects(compared, { name: 'AbortError' });
        assert.equal(await noticeOverlaps(engine, deadline.signal), 0);
      });
    });

    it('cannot be taken again after it was left', async () => {
      await move(newer, 'elsewhere');
      await assert.rejects(move(newer, '2025'), Conflict);
    });
  });
});
