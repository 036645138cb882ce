/** Applies changes made in Temporal's own UI or CLI to the export's row and log, and notifies its watchers. */
import type { Comparison } from '../temporal/schedule-options.ts';
import { SYSTEM_AUTHOR, recordExport } from '../batch-exports/audit.ts';
import { isoMicros } from '../domain/instants.ts';
import { endPause } from '../pauses/pauses.ts';
import type { ScheduledExport } from './schedules.store.ts';
import type { ExportStores } from '../stores.ts';

const TEMPORAL_AUTHOR = { by: 'temporal', userId: null } as const;

/**
 * Copies a pause or an unpause of the schedule to the row, unless the row has changed since the comparison. Temporal does not know the
 * author, so this stores the note that Temporal's UI and CLI ask for.
 * @returns whether the row changed
 */
export async function adoptPause(
  stores: ExportStores,
  row: ScheduledExport,
  { paused, note, since }: NonNullable<Comparison['pause']>,
): Promise<boolean> {
  return stores.inTransaction(async (tx) => {
    const before = await tx.batchExports.lock(row.projectId, row.id);
    if (before.version !== row.version || before.paused === paused) return false;
    const summary = `${paused ? 'Paused' : 'Unpaused'} in Temporal${note === '' ? '.' : `: ${note}`}`;
    if (paused) await tx.pauses.begin(row.id, TEMPORAL_AUTHOR, { reason: summary, since: isoMicros(since) });
    else await endPause(tx, row.id);
    const lastPausedAt = await tx.batchExports.now();
    const fields = paused ? { paused, lastPausedAt, pausedReason: summary } : { paused, pausedReason: null };
    const after = await tx.batchExports.update(row.id, fields);
    await recordExport(tx, SYSTEM_AUTHOR, 'updated', { before, after });
    await tx.logs.append({ batchExportId: row.id, runId: null, level: 'WARNING', message: summary });
    const details = { by: 'temporal', note, paused };
    await tx.outbox.add(row.id, { kind: paused ? 'paused' : 'schedule_changed', summary, details });
    return true;
  });
}

/** Logs and notifies that a schedule was deleted or changed in Temporal, and is set again from the row. */
export async function recordRestoredSchedule(
  stores: ExportStores,
  { id }: ScheduledExport,
  difference: Exclude<Comparison['difference'], 'no'>,
): Promise<void> {
  const verb = difference === 'missing' ? 'deleted' : 'changed';
  const summary = `The schedule was ${verb} in Temporal, and is restored. Change the batch export instead.`;
  await stores.inTransaction(async (tx) => {
    await tx.logs.append({ batchExportId: id, runId: null, level: 'WARNING', message: summary });
    await tx.outbox.add(id, { kind: 'schedule_changed', summary, details: { by: 'temporal', schedule: verb } });
  });
}
