/** Changes a batch export: the row and all consequences in one transaction, then its schedule. */
import { ensureVersion } from '../../platform/http/parameters/preconditions.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import { isSameKeySpace, reserveKeySpace } from '../deliveries/key-spaces.ts';
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
    const changed = await stores.inTransaction(async (inside) => {
      const current = await inside.batchExports.lock(projectId, id);
      ensureVersion(version, current.version, 'batch export');
      const wanted = await makeChange(current);
      if (!wanted) return current;
      const cadence = { ...current, ...wanted };
      if (!isSameCadence(cadence, current)) {
        const now = millisOf(await inside.batchExports.now());
        await inside.batchExports.setTiling(id, withSpec(await inside.batchExports.getTiling(id), cadence, now));
      }
      await pauseOrUnpause(inside, current, wanted.paused ?? current.paused, { by, pause });
      // An earlier start adds intervals that were not gaps before.
      if (wanted.startAt !== undefined) await inside.gaps.rewindSettledUntil(id, current.createdAt);
      if (wanted.keySpace !== undefined) await movePlace(inside, current, wanted.keySpace);
      const updated = await inside.batchExports.update(id, {
        ...wanted,
        ...(wanted.paused !== undefined && { pausedReason: null }),
      });
      await recordExport(inside, by, 'updated', { before: current, after: updated });
      await andThen?.(inside, updated);
      return updated;
    });
    await scheduleSync.trySync(id);
    return changed;
  };

  /** Stores what runs still need of the current place, and reserves the new one, even if both are the same. */
  async function movePlace(inside: BoundStores, current: BatchExport, keySpace: string): Promise<void> {
    await inside.places.pinPlans(current.id, pinnedDestination(current));
    await inside.health.end(current.id, 'keeping_files');
    if (isSameKeySpace(current, { ...current, keySpace })) return;
    await leavePlace({ stores: inside, configs }, current);
    await reserveKeySpace(inside, { ...current, keySpace });
    await inside.places.forgetLeftPlace(current.id, keySpace);
  }
}

async function pauseOrUnpause(
  inside: BoundStores,
  { id, paused: wasPaused }: BatchExport,
  paused: boolean,
  { by, pause }: Pick<ChangeContext, 'by' | 'pause'>,
): Promise<void> {
  if (wasPaused && !paused) await endPause(inside, id);
  if (!wasPaused && paused) await inside.pauses.begin(id, pauserOf(by), pause);
  if (wasPaused && paused && pause) await inside.pauses.changeNotes(id, pauserOf(by), pause);
}
