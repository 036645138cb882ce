/** Rules for the beginning and the end of a pause, by a person, by Sluice, in Temporal, or at the planned end. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import { SYSTEM_AUTHOR, recordExport } from '../batch-exports/audit.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import type { BoundStores, ExportStores } from '../stores.ts';
import type { OpenPause, PauseAuthor, PauseNotes } from './pauses.store.ts';

const YEAR_MS = 366 * 86_400_000;

/** The author of a pause that was requested through the API. */
export function pauserOf({ userId, keyId }: Author): PauseAuthor {
  if (userId !== null) return { by: 'user', userId };
  return { by: keyId === null ? 'sluice' : 'project_key', userId };
}

/** @throws InvalidInput for a time to resume that has passed, or that is more than a year ahead */
export function checkResumeAt({ resumeAt }: PauseNotes, now: string): void {
  if (typeof resumeAt !== 'string') return;
  const ahead = millisOf(resumeAt) - millisOf(now);
  if (ahead <= 0) throw new InvalidInput('The time to resume must be in the future.', 'resume_at');
  if (ahead > YEAR_MS) throw new InvalidInput('The time to resume must be within a year.', 'resume_at');
}

/** Whether the notes differ from those of the pause. */
export function changesNotes({ reason, resumeAt }: PauseNotes, pause: OpenPause | null): boolean {
  if (reason !== undefined && reason !== (pause?.reason ?? null)) return true;
  if (resumeAt === undefined) return false;
  const [wanted, present] = [resumeAt, pause?.resumeAt ?? null];
  return wanted === null || present === null ? wanted !== present : millisOf(wanted) !== millisOf(present);
}

/**
 * Ends the current pause of an export that is locked. A pause whose planned end has passed ended then, so intervals that ended since are
 * expected, and are gaps if they have no run.
 */
export async function endPause(
  { pauses, gaps }: Pick<BoundStores, 'pauses' | 'gaps'>,
  exportId: string,
): Promise<void> {
  const since = await pauses.end(exportId);
  // The search for gaps may have skipped this time as part of the pause.
  // tooth: resumed-late-expected
  if (since !== undefined) await gaps.rewindGapFreeUntil(exportId, isoMicros(millisOf(since) - 1));
}

/**
 * Unpauses an export at the planned end. The reconciler then sets the schedule, as after every change of a row, even if Temporal is
 * unavailable now.
 * @returns false when another caller has unpaused the export, or has changed the planned end
 */
export async function resume(
  stores: Pick<ExportStores, 'inTransaction'>,
  { id, projectId }: Pick<BatchExport, 'id' | 'projectId'>,
): Promise<boolean> {
  return stores.inTransaction(async (tx) => {
    const before = await tx.batchExports.lock(projectId, id);
    const now = millisOf(await tx.batchExports.now());
    const resumeAt = before.pause?.resumeAt ?? null;
    if (!before.paused || resumeAt === null || millisOf(resumeAt) > now) return false;
    await endPause(tx, id);
    const after = await tx.batchExports.update(id, { paused: false, pausedReason: null });
    await recordExport(tx, SYSTEM_AUTHOR, 'updated', { before, after });
    const message = `Unpaused: the pause was to end at ${resumeAt}.`;
    await tx.logs.append({ batchExportId: id, runId: null, level: 'INFO', message });
    return true;
  });
}
