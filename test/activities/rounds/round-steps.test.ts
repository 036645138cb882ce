/** Steps of a round end in time together, and no export is always among those that they do not reach. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { fillGaps } from '../../../activities/rounds/fill-gaps.ts';
import { roundSteps } from '../../../activities/round-steps.ts';
import { wakeDispatchers } from '../../../activities/rounds/wake-dispatchers.ts';
import { watchFreshness } from '../../../activities/rounds/watch-freshness.ts';
import { buildExport, buildExportWorld, type ExportWorld } from '../../support/exports/export-world.ts';

describe('steps of a round that all hang', () => {
  it('end within the time of the round, and each of them begins', async () => {
    const errorMessages: string[] = [];
    const log = { error: ({ error }: { error: Error }) => errorMessages.push(error.message) };
    const { signal } = new AbortController();
    const { step, failed } = roundSteps({ log } as never, { signal }, { stepMs: 30, roundMs: 120, minStepMs: 2 });
    const startedSteps: string[] = [];
    const names = Array.from({ length: 14 }, (_, index) => `step ${index}`);
    for (const name of names)
      await step(
        name,
        () => {
          startedSteps.push(name);
          return new Promise<void>(() => {});
        },
        undefined,
      );
    assert.deepEqual([startedSteps, failed], [names, names]);
    const seconds = errorMessages.map((message) => Number(/within ([\d.]+) s/.exec(message)?.[1]));
    const total = seconds.reduce((sum, one) => sum + one, 0);
    assert.ok(total <= 0.12 + names.length * 0.004, `${total} s`);
  });
});

describe('a step that ends before it has reached every export', () => {
  const REACHED = 2;
  let world: ExportWorld;
  let ids: string[];
  before(async () => {
    world = await buildExportWorld();
    const wanted = Array.from({ length: 6 }, () => {
      const destination = { type: 'LocalFile', config: { directory: randomUUID() } };
      return world.batchExports.create(world.projectId, buildExport({ destination, paused: true }));
    });
    ids = (await Promise.all(wanted)).map(({ id }) => id);
  });
  after(async () => world.close());

  /** Rounds whose deadline comes after a few exports, until each of them had its turn. */
  async function reachedIn(
    rounds: number,
    round: (reach: (id: string) => void, signal: AbortSignal) => Promise<unknown>,
  ) {
    const seen = new Set<string>();
    for (let number = 0; number < rounds && seen.size < ids.length; number += 1) {
      const deadline = new AbortController();
      let reached = 0;
      const reach = (id: string) => {
        seen.add(id);
        if ((reached += 1) >= REACHED) deadline.abort();
      };
      await assert.rejects(round(reach, deadline.signal), { name: 'AbortError' });
    }
    return [...seen].sort();
  }

  it('reaches another one in the next round when it fills gaps', async () => {
    const { stores } = world.engine;
    const reached = await reachedIn(100, (reach, signal) => {
      const getTiling = async (id: string) => {
        reach(id);
        return stores.batchExports.getTiling(id);
      };
      const batchExports = { ...stores.batchExports, getTiling };
      return fillGaps({ ...world.engine, stores: { ...stores, batchExports } }, signal);
    });
    assert.deepEqual(reached, [...ids].sort());
  });

  it('reaches another one in the next round when it wakes dispatchers', async () => {
    const { stores, executions } = world.engine;
    const runRequests = { ...stores.runRequests, listExportsWithOpenRequests: async () => ids };
    const reached = await reachedIn(100, (reach, signal) => {
      const wakeDispatcher = async (id: string) => reach(id);
      const engine = {
        ...world.engine,
        stores: { ...stores, runRequests },
        executions: { ...executions, wakeDispatcher },
      };
      return wakeDispatchers(engine, signal);
    });
    assert.deepEqual(reached, [...ids].sort());
  });

  it('begins with another one in the next round when it watches freshness', async () => {
    const { stores } = world.engine;
    const first = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      const listWatchedExports = async (exportIds: readonly string[]) => {
        first.add(exportIds[0]!);
        return [];
      };
      const freshness = { ...stores.freshness, listWatchedExports };
      await watchFreshness({ ...world.engine, stores: { ...stores, freshness } }, new AbortController().signal);
    }
    assert.deepEqual([...first].sort(), [...ids].sort());
  });
});
