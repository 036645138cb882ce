/** Notices which delivered intervals are stale, and has them delivered again for exports that want it. */
import { findStale } from '../../src/exports/intervals/stale-intervals.ts';
import type { ExportToCheck } from '../../src/exports/intervals/stale.store.ts';
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, exportLogFields, shuffle } from '../round-steps.ts';

export type WatchedImports = { stale: number; requested: number };

/** @returns how many intervals are newly stale, and how many were requested */
export async function watchImports(engine: Engine, signal: AbortSignal): Promise<WatchedImports> {
  const counts: WatchedImports = { stale: 0, requested: 0 };
  const exports = shuffle(await engine.stores.stale.listExportsToCheck());
  const watch = async (exportToCheck: ExportToCheck) => {
    counts.stale += await findStale(engine.pool, engine.stores, exportToCheck);
  };
  await forEachLoggingFailures(
    engine,
    signal,
    'an export could not be checked for late imports: the next round tries again',
    exports,
    ({ id }) => exportLogFields(id),
    watch,
  );
  const exportsToRedeliver = shuffle(await engine.stores.troubles.listExportsToRedeliver());
  await forEachLoggingFailures(
    engine,
    signal,
    'stale intervals could not be requested: the next round tries again',
    exportsToRedeliver,
    exportLogFields,
    async (id) => {
      counts.requested += await requestStale(engine, id);
    },
  );
  return counts;
}

async function requestStale({ stores }: Engine, exportId: string): Promise<number> {
  return stores.inTransaction(async (tx) => {
    const due = await tx.troubles.takeForRedelivery(exportId);
    if (due.length > 0) await tx.runRequests.open(exportId, due, 'stale');
    return due.length;
  });
}
