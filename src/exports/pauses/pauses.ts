/** How a pause begins and ends: by somebody, by Sluice, in Temporal, or when it was to end by itself. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import { NOBODY, recordExport } from '../batch-exports/audit.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import type { Bound, ExportStores } from '../stores.ts';
import type { OpenPause, PauseAuthor, PauseNotes } from './pauses.store.ts';

const YEAR = 366 * 86_400_000;

/** The author of a pause that is asked for through the API. */
export function pauserOf({ userId, keyId }: Author): PauseAuthor {
  if (userId !== null) return { by: 'user', userId };
  return { by: keyId === null ? 'sluice' : 'project_key', userId };
}

/** @throws InvalidInput for a time to resume that has passed, or that is more than a year ahead */
export function checkResumeAt({ resumeAt }: PauseNotes, now: string): void {
  if (typeof resumeAt !== 'string') return;
  const ahead = millisOf(resumeAt) - millisOf(now);
  if (ahead <= 0) throw new InvalidInput('The time to resume must be in the future.', 'resume_at');
  if (ahead > YEAR) throw new InvalidInput('The time to resume must be within a year.', 'resume_at');
}

/** Whether the notes say something of a pause that it does not say. */
export function saysMore({ reason, resumeAt }: PauseNotes, pause: OpenPause | null): boolean {
  if (reason !== undefined && reason !== (pause?.reason ?? null)) return true;
  if (resumeAt === undefined) return false;
  const [wanted, present] = [resumeAt, pause?.resumeAt ?? null];
  return wanted === null || present === null ? wanted !== present : millisOf(wanted) !== millisOf(present);
}

/**
 * Ends the present pause of an export that is locked. One that should have ended earlier by itself ended then: what ended since is
 * expected, and a gap where it has no run.
 */
export async function endPause({ pauses, gaps }: Pick<Bound, 'pauses' | 'gaps'>, exportId: string): Promise<void> {
  const since = await pauses.end(exportId);
  // The search for gaps may have passed over it as a pause that goes on.
  // tooth: resumed-late-expected
  if (since !== undefined) await gaps.unsettle(exportId, isoMicros(millisOf(since) - 1));
}

/**
 * Unpauses an export whose time has come. The schedule follows as after every change of the row, also when Temporal is away now.
 * @returns false when somebody else has unpaused it, or has chosen another time
 */
export async function resume(
  stores: Pick<ExportStores, 'inTransaction'>,
  { id, projectId }: Pick<BatchExport, 'id' | 'projectId'>,
): Promise<boolean> {
  return stores.inTransaction(async (inside) => {
    const before = await inside.batchExports.lock(projectId, id);
    const now = millisOf(await inside.batchExports.now());
    const at = before.pause?.resumeAt ?? null;
    if (!before.paused || at === null || millisOf(at) > now) return false;
    await endPause(inside, id);
    const after = await inside.batchExports.update(id, { paused: false, pausedReason: null });
    await recordExport(inside, NOBODY, 'updated', { before, after });
    const message = `Unpaused: the pause was to end at ${at}.`;
    await inside.logs.append({ batchExportId: id, runId: null, level: 'INFO', message });
    return true;
  });
}
