/**
 * Finds exports whose key spaces share keys, because they were created before Sluice checked for overlaps. Such exports stay valid. The
 * owners of both get one notice, and another one if the overlap ends and recurs.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { overlaps } from '../../src/exports/destinations/key-space.ts';
import { keySpaceOf } from '../../src/exports/deliveries/key-spaces.ts';
import type { Engine } from '../engine.ts';

/**
 * Time between two comparisons. Overlaps are rarely new, because only processes of the previous version can add them, and comparing every
 * pair in each round may take longer than the time limit of a step.
 */
const EVERY_MS = 3_600_000;
const lastComparedAt = new WeakMap<Engine, number>();

const SUMMARY =
  'Another batch export may write to the same files or table. Both go on; move one of them to a prefix, directory or table of its own.';

/** @returns how many exports are newly found to overlap with another one */
export async function noticeOverlaps(engine: Engine, signal: AbortSignal): Promise<number> {
  const lastCheckedAt = lastComparedAt.get(engine);
  if (lastCheckedAt !== undefined && performance.now() - lastCheckedAt < EVERY_MS) return 0;
  const overlapping = await findOverlaps(engine, signal);
  for (const id of await engine.stores.health.listExportsWith('overlapping')) {
    if (!overlapping.has(id)) await engine.stores.health.end(id, 'overlapping');
  }
  let noticed = 0;
  for (const id of overlapping) if (await logAndNotify(engine, id)) noticed += 1;
  return noticed;
}

async function findOverlaps(engine: Engine, signal: AbortSignal): Promise<Set<string>> {
  const reservations = (await engine.stores.places.listLive()).map((reservation) => ({
    id: reservation.exportId,
    space: keySpaceOf(reservation),
  }));
  lastComparedAt.set(engine, performance.now());
  const byStore = Map.groupBy(reservations, ({ space }) => space.store);
  const overlapping = new Set<string>();
  for (const group of byStore.values()) {
    for (const [index, reservation] of group.entries()) {
      // A thousand exports in one bucket are half a million pairs: heartbeats and runs must not wait until all are compared.
      // tooth: overlaps-in-turn
      await yieldToEventLoop(undefined, { signal });
      for (const other of group.slice(index + 1)) {
        if (!overlaps(reservation.space, other.space)) continue;
        overlapping.add(reservation.id).add(other.id);
      }
    }
  }
  return overlapping;
}

async function logAndNotify({ stores }: Engine, id: string): Promise<boolean> {
  return stores.inTransaction(async (tx) => {
    if (!(await tx.health.begin(id, 'overlapping'))) return false;
    await tx.logs.append({ batchExportId: id, runId: null, level: 'WARNING', message: SUMMARY });
    await tx.outbox.add(id, { kind: 'overlapping', summary: SUMMARY, details: {} });
    return true;
  });
}
