/** Changes a batch export: the row and all consequences in one transaction, then its schedule. */
import { ensureVersion } from '../../platform/http/parameters/preconditions.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import { isSameKeySpace, assertKeySpaceFree } from '../deliveries/key-spaces.ts';
import { isSameCadence } from '../domain/cadence.ts';
import { millisOf } from '../domain/instants.ts';
import { withSpec } from '../domain/intervals.ts';
import type { ConfigEncryption } from '../integrations/config-encryption.ts';
import { leavePlace, pinnedDestination } from '../integrations/pinned-destination.ts';
import { endPause, pauserOf } from '../pauses/pauses.ts';
import type { PauseNotes } from '../pauses/pauses.store.ts';
import type { ScheduleSync } from '../schedules/schedule-sync.ts';
import type { BoundStores, ExportStores } from '../stores.ts';
import { recordExport } from './audit.ts';
import type { BatchExport, BatchExportChange } from './batch-export.ts';

export type ChangeOptions = {
  stores: ExportStores;
  scheduleSync: ScheduleSync;
  configs: ConfigEncryption;
  /** @throws Unavailable while Temporal is away */
  ensureTemporal(): Promise<void>;
};

/** Consequences of a change, in its transaction. */
export type AndThen = (inside: BoundStores, changed: BatchExport) => Promise<void>;

export type ChangeContext = {
  by: Author;
  /** The row's version that the caller read, to refuse a change of a newer row. */
  version?: string | undefined;
  /** Notes for the pause that the change begins, or for the current one. */
  pause?: PauseNotes | undefined;
  andThen?: AndThen | undefined;
};

export function exportChanges({ stores, scheduleSync, configs, ensureTemporal }: ChangeOptions) {
  /** @param makeChange returns the change; if it returns undefined, nothing changes */
  return async (
    projectId: number,
    id: string,
    makeChange: (current: BatchExport) => Promise<BatchExportChange | undefined>,
    { by, version, pause, andThen }: ChangeContext,
  ): Promise<BatchExport> => {
    await ensureTemporal();
    const changed = await stores.inTransaction(async (tx) => {
      const current = await tx.batchExports.lock(projectId, id);
      ensureVersion(version, current.version, 'batch export');
      const newFields = await makeChange(current);
      if (!newFields) return current;
      const cadence = { ...current, ...newFields };
      if (!isSameCadence(cadence, current)) {
        const now = millisOf(await tx.batchExports.now());
        await tx.batchExports.setTiling(id, withSpec(await tx.batchExports.getTiling(id), cadence, now));
      }
      await pauseOrUnpause(tx, current, newFields.paused ?? current.paused, { by, pause });
      // An earlier start adds intervals that were not gaps before.
      if (newFields.startAt !== undefined) await tx.gaps.rewindGapFreeUntil(id, current.createdAt);
      if (newFields.keySpace !== undefined) await movePlace(tx, current, newFields.keySpace);
      const updated = await tx.batchExports.update(id, {
        ...newFields,
        ...(newFields.paused !== undefined && { pausedReason: null }),
      });
      await recordExport(tx, by, 'updated', { before: current, after: updated });
      await andThen?.(tx, updated);
      return updated;
    });
    await scheduleSync.trySync(id);
    return changed;
  };

  /** Stores what runs still need of the current place, and reserves the new one, even if both are the same. */
  async function movePlace(tx: BoundStores, current: BatchExport, keySpace: string): Promise<void> {
    await tx.places.pinPlans(current.id, pinnedDestination(current));
    await tx.health.end(current.id, 'keeping_files');
    if (isSameKeySpace(current, { ...current, keySpace })) return;
    await leavePlace({ stores: tx, configs }, current);
    await assertKeySpaceFree(tx, { ...current, keySpace });
    await tx.places.forgetLeftPlace(current.id, keySpace);
  }
}

async function pauseOrUnpause(
  tx: BoundStores,
  { id, paused: wasPaused }: BatchExport,
  paused: boolean,
  { by, pause }: Pick<ChangeContext, 'by' | 'pause'>,
): Promise<void> {
  if (wasPaused && !paused) await endPause(tx, id);
  if (!wasPaused && paused) await tx.pauses.begin(id, pauserOf(by), pause);
  if (wasPaused && paused && pause) await tx.pauses.changeNotes(id, pauserOf(by), pause);
}
