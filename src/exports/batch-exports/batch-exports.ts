/**
 * User operations on batch exports. Each writes the row first, which is authoritative, and then sets the schedule in Temporal from the row.
 * If Temporal is unavailable, the reconciler sets the schedule within a minute.
 */
import { randomUUID } from 'node:crypto';
import type { DestinationEnvironment } from '../destinations/environment.ts';
import { destinationOf } from '../destinations/index.ts';
import { promisesOf } from '../destinations/promises.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import type { NotificationsIn } from '../../platform/notify/notice.ts';
import type { ExportExecutions } from '../temporal/executions.ts';
import { SYSTEM_AUTHOR, recordExport } from './audit.ts';
import type { BatchExport } from './batch-export.ts';
import { exportChanges, type AndThen, type ChangeOptions } from './change.ts';
import { contentColumns, type ContentPatch } from './content.ts';
import {
  destinationChoice,
  type ChosenDestination,
  type WantedDestination,
} from '../integrations/destination-choice.ts';
import { NO_SETTINGS, type Model } from '../../conditions/rows/content.ts';
import { millisOf } from '../domain/instants.ts';
import { cadenceWith, type CadenceChange } from '../domain/cadence.ts';
import { assertKeySpaceFree } from '../deliveries/key-spaces.ts';
import { leavePlace, pinnedDestination } from '../integrations/pinned-destination.ts';
import { measureFreshness, type Freshness } from '../monitoring/freshness.ts';
import type { NotificationSettings } from '../monitoring/notifications.ts';
import { checkResumeAt, pauserOf, changesNotes } from '../pauses/pauses.ts';
import type { PauseNotes } from '../pauses/pauses.store.ts';

export type NewExport = CadenceChange &
  ContentPatch & {
    name: string;
    model: Model;
    destination: WantedDestination;
    interval: string;
    jitterSeconds?: number;
    maxConcurrentRuns?: number;
    paused: boolean;
    startAt: string | null;
    endAt: string | null;
    freshnessTargetSeconds?: number | null;
    redeliverStale?: boolean;
    notifications?: NotificationsIn | null;
  };

/** Fields of a PATCH; absent ones stay as they are. */
export type ExportPatch = Partial<Omit<NewExport, 'model'>> & { lastPausedAt?: string | null };

export type BatchExportsOptions = ChangeOptions & {
  executions: ExportExecutions;
  notifications: NotificationSettings;
  environment: DestinationEnvironment;
};

export function batchExports({
  stores,
  scheduleSync,
  executions,
  configs,
  notifications,
  environment,
  ensureTemporal,
}: BatchExportsOptions) {
  const destinations = destinationChoice({ stores, configs, environment });
  const change = exportChanges({ stores, scheduleSync, configs, ensureTemporal });

  return {
    get: stores.batchExports.get,
    list: stores.batchExports.list,

    /** Freshness of each export, by id. */
    async freshness(ids: readonly string[]): Promise<Map<string, Freshness>> {
      const measured = await measureFreshness(stores, ids);
      return new Map(measured.map(({ watched, freshness }) => [watched.id, freshness]));
    },

    /**
     * @throws InvalidInput naming the field
     * @throws Conflict when another export delivers to the same place
     */
    async create(projectId: number, newExport: NewExport, author: Author = SYSTEM_AUTHOR): Promise<BatchExport> {
      const cadence = cadenceWith(newExport);
      checkBounds(newExport.startAt, newExport.endAt);
      const choice = await destinations.choose(projectId, newExport.destination);
      checkRedelivery(choice, newExport.redeliverStale ?? false);
      const id = randomUUID();
      const draft = { id, projectId, model: newExport.model, content: NO_SETTINGS, hashKey: null };
      const content = contentColumns(configs, draft, newExport, choice);
      await ensureTemporal();
      const notificationColumns = await notifications.columns(
        { ...NO_NOTIFICATIONS, id, projectId },
        newExport.notifications ?? null,
      );
      const columns = destinations.columnsOf({ id, projectId, model: newExport.model }, choice);
      const created = await stores.inTransaction(async (tx) => {
        await assertKeySpaceFree(tx, { id, model: newExport.model, keySpace: columns.keySpace });
        const row = await tx.batchExports.insert({
          id,
          projectId,
          createdBy: author.userId,
          name: newExport.name,
          model: newExport.model,
          ...columns,
          ...content,
          ...cadence,
          jitterSeconds: newExport.jitterSeconds ?? 0,
          ...(newExport.maxConcurrentRuns !== undefined && { maxConcurrentRuns: newExport.maxConcurrentRuns }),
          paused: newExport.paused,
          lastPausedAt: null,
          startAt: newExport.startAt,
          endAt: newExport.endAt,
          freshnessTargetSeconds: newExport.freshnessTargetSeconds ?? null,
          redeliverStale: newExport.redeliverStale ?? false,
          ...notificationColumns,
        });
        if (newExport.paused) await tx.pauses.begin(id, pauserOf(author));
        const after = newExport.paused ? await tx.batchExports.get(projectId, id) : row;
        await recordExport(tx, author, 'created', { after });
        return after;
      });
      await scheduleSync.trySync(id);
      return created;
    },

    /**
     * @param version of the row that the caller read; the change is refused if the row is newer
     * @throws Stale, InvalidInput, Conflict, NotFound
     */
    async patch(
      projectId: number,
      id: string,
      patch: ExportPatch,
      { version, by = SYSTEM_AUTHOR }: { version?: string | undefined; by?: Author } = {},
    ): Promise<BatchExport> {
      return change(
        projectId,
        id,
        async (current) => {
          const { destination, notifications: notificationColumns, ...fields } = patch;
          const columns = {
            ...fields,
            ...cadenceWith(patch, current),
            ...(notificationColumns !== undefined && (await notifications.columns(current, notificationColumns))),
          };
          checkBounds(
            columns.startAt === undefined ? current.startAt : columns.startAt,
            columns.endAt === undefined ? current.endAt : columns.endAt,
          );
          if (!destination) {
            const present = {
              destination: destinationOf(current.destinationType, environment),
              config: current.destinationConfig,
            };
            checkRedelivery(present, patch.redeliverStale ?? current.redeliverStale);
            return { ...columns, ...contentColumns(configs, current, patch, present) };
          }
          const choice = await destinations.choose(projectId, destination, current);
          checkRedelivery(choice, patch.redeliverStale ?? current.redeliverStale);
          return {
            ...columns,
            ...contentColumns(configs, current, patch, choice),
            ...destinations.columnsOf(current, choice),
          };
        },
        { by, version },
      );
    },

    /**
     * Runs that have started continue; no new run starts automatically. If the export is already paused, only the notes of the pause change.
     * @param andThen runs in the transaction of the change, if anything changes
     * @throws InvalidInput for an impossible time to resume
     */
    async pause(
      projectId: number,
      id: string,
      author: Author = SYSTEM_AUTHOR,
      pause: PauseNotes = {},
      andThen?: AndThen,
    ): Promise<BatchExport> {
      const now = await stores.batchExports.now();
      checkResumeAt(pause, now);
      return change(
        projectId,
        id,
        async (current) => {
          if (!current.paused) return { paused: true, lastPausedAt: now };
          return changesNotes(pause, current.pause) ? {} : undefined;
        },
        { by: author, pause, andThen },
      );
    },

    /** @param andThen runs in the transaction that ends the pause, if there is one */
    async unpause(
      projectId: number,
      id: string,
      author: Author = SYSTEM_AUTHOR,
      andThen?: AndThen,
    ): Promise<BatchExport> {
      return change(projectId, id, async ({ paused }) => (paused ? { paused: false } : undefined), {
        by: author,
        andThen,
      });
    },

    /** Ends the schedule, the requests and the runs that are under way, except for commits that have begun. Delivered data stays. */
    async delete(projectId: number, id: string, author: Author = SYSTEM_AUTHOR): Promise<void> {
      await ensureTemporal();
      const openRuns = await stores.inTransaction(async (tx) => {
        const after = await tx.batchExports.lock(projectId, id);
        await tx.places.pinPlans(id, pinnedDestination(after));
        await leavePlace({ stores: tx, configs }, after);
        await tx.batchExports.markDeleted(id);
        await recordExport(tx, author, 'deleted', { after });
        await tx.runRequests.closeAll(id);
        return tx.runs.listOpen(id);
      });
      await scheduleSync.trySync(id);
      await Promise.all(openRuns.map((run) => executions.cancel(run.workflowId, run.workflowRunId)));
    },

    /** Returns the whole configuration, secrets included, for the engine only. */
    decryptConfig: configs.decrypt,
  };
}

export type BatchExports = ReturnType<typeof batchExports>;

const NO_NOTIFICATIONS = { notifications: null, notificationSecret: null };

/** Refuses automatic redelivery to a destination that would keep the earlier rows beside the new ones. @throws InvalidInput */
function checkRedelivery(
  { destination, config }: Pick<ChosenDestination, 'destination' | 'config'>,
  redeliverStale: boolean,
): void {
  if (!redeliverStale || promisesOf(destination, config).redelivery !== 'repeats_by_uuid') return;
  const message = 'This destination would receive all rows again: deliver stale intervals by a backfill instead.';
  throw new InvalidInput(message, 'redeliver_stale');
}

function checkBounds(startAt: string | null, endAt: string | null): void {
  if (startAt === null || endAt === null || millisOf(startAt) < millisOf(endAt)) return;
  throw new InvalidInput('`end_at` must be after `start_at`.', 'end_at');
}
