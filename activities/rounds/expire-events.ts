/** Hides and deletes events that are older than their projects keep them, and tells the owners of exports that still need some of them. */
import { emptyPartitions } from '../../src/events/table/empty-partitions.ts';
import {
  hiddenEventsDeleter,
  hideEvents,
  listExpiringProjects,
  listProjectsWithHiddenEvents,
  type ExpiringProject,
} from '../../src/events/table/expiry.ts';
import { databaseClockAheadSeconds, MAX_CLOCK_DIFFERENCE_SECONDS } from '../../src/events/table/seal.ts';
import { isoSeconds, millisOf } from '../../src/exports/domain/instants.ts';
import { planExpiry, type DelayingExport } from '../../src/exports/intervals/expiring-sources.ts';
import { Unavailable } from '../../src/platform/errors.ts';
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, shuffle } from '../round-steps.ts';

export type ExpiringEngine = Pick<Engine, 'pool' | 'stores' | 'retention' | 'log'>;

type Options = { beginWithinMs: number; signal: AbortSignal };

/** @returns how many rows were deleted */
export async function expireEvents(engine: ExpiringEngine, { beginWithinMs, signal }: Options): Promise<number> {
  await hideExpired(engine, signal, { onlyUnchecked: true });
  const beginUntil = performance.now() + beginWithinMs;
  let deleted = 0;
  await forEachLoggingFailures(
    engine,
    signal,
    'hidden events of a project are deleted later',
    shuffle(await listProjectsWithHiddenEvents(engine.pool)),
    ({ projectId }) => ({ project_id: projectId }),
    async (hidden) => {
      const deleteNext = hiddenEventsDeleter(engine.pool, hidden);
      while (performance.now() < beginUntil) {
        signal.throwIfAborted();
        const slice = await deleteNext();
        if (slice === 'locked') return;
        if (slice === 'slow') continue;
        deleted += slice.deleted;
        if (slice.isLast) return;
      }
    },
  );
  await emptyPartitions(engine.pool);
  return deleted;
}

/**
 * Moves the instants of all projects as far as their exports permit.
 * @throws Unavailable while the clocks of the database and of this process differ: a wrong clock would hide events for good
 */
export async function hideExpired(
  engine: ExpiringEngine,
  signal: AbortSignal,
  { onlyUnchecked = false } = {},
): Promise<void> {
  const days = engine.retention.RETENTION_EVENT_DAYS ?? 0;
  await endWithoutRetention(engine, days);
  const projects = await listExpiringProjects(engine.pool, days, { onlyUnchecked });
  if (projects.length === 0) return;
  // tooth: expiry-clock
  if (Math.abs(await databaseClockAheadSeconds(engine.pool)) > MAX_CLOCK_DIFFERENCE_SECONDS)
    throw new Unavailable('The clocks of the database and of this process differ: no event expires.');
  await forEachLoggingFailures(
    engine,
    signal,
    'events of a project expire later',
    projects,
    ({ projectId }) => ({ project_id: projectId }),
    async (project) => {
      const { from, delaying } = await planExpiry(engine.stores, project);
      await hideEvents(engine.pool, project.projectId, from);
      await tellOwners(
        engine,
        project,
        delaying.filter(({ isLate }) => isLate),
      );
    },
  );
}

async function tellOwners(
  { stores }: ExpiringEngine,
  { projectId, days }: ExpiringProject,
  delaying: readonly DelayingExport[],
): Promise<void> {
  for (const { exportId, start, deletedAt } of delaying) {
    const summary =
      `The data interval that begins at ${isoSeconds(millisOf(start))} is not delivered, and its events are older than the ${days} days for ` +
      `which this project keeps them. They are deleted at ${isoSeconds(millisOf(deletedAt))} at the latest.`;
    await stores.inTransaction(async (tx) => {
      if (!(await tx.health.begin(exportId, 'expiring'))) return;
      await tx.logs.append({ batchExportId: exportId, runId: null, level: 'WARNING', message: summary });
      const details = { data_interval_start: start, deleted_at: deletedAt };
      await tx.outbox.add(exportId, { kind: 'source_expiring', summary, details });
    });
  }
  const ids = new Set(delaying.map(({ exportId }) => exportId));
  for (const one of await stores.health.listExpiring())
    if (one.projectId === projectId && !ids.has(one.id)) await stores.health.end(one.id, 'expiring');
}

/** Ends the trouble of exports whose projects have no events that are older than their retention, which may have been lifted. */
async function endWithoutRetention({ pool, stores }: ExpiringEngine, days: number): Promise<void> {
  const expiring = await stores.health.listExpiring();
  if (expiring.length === 0) return;
  const limited = new Set((await listExpiringProjects(pool, days)).map(({ projectId }) => projectId));
  for (const { id, projectId } of expiring) if (!limited.has(projectId)) await stores.health.end(id, 'expiring');
}
