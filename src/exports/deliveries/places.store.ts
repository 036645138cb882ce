/** Reserved key spaces, and the stored credentials of places that exports have left. */
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Knex } from '../../platform/db/connection.ts';
import {
  INTEGRATION_JSON,
  integrationFromRow,
  type Integration,
  type IntegrationRow,
} from '../integrations/integrations.store.ts';
import type { Model } from '../../conditions/rows/content.ts';
import type { PinnedDestination } from '../domain/plan.ts';
import { OPEN_STATUSES } from '../domain/statuses.ts';

/** A reserved key space; `model` is the export's, because key spaces stored by earlier versions do not name it. */
export type Reservation = { exportId: string; keySpace: string; model: Model };

/** A place that an export has left. */
export type LeftPlace = {
  keySpace: string;
  place: string;
  /** Encrypted; null when the destination has none. */
  secrets: string | null;
  integration: Integration | null;
};

type LeftPlaceRow = { key_space: string; place: string; secrets: string | null; integration: IntegrationRow | null };

const OPEN_LIST = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

/**
 * Selects the runs of an export that may still write to the place of their plan, or have left something there. These are open runs, runs
 * whose commit has begun and is not settled, and runs with artifacts that the reconciler has not given up.
 * @param exportId SQL
 */
const unsettledRunsSql = (exportId: string) => `
  select id from batch_export_runs where batch_export_id = ${exportId} and status in (${OPEN_LIST})
  union all
  select run_id from batch_export_intervals where batch_export_id = ${exportId} and state = 'committing'
  union all
  select run.id from batch_export_artifacts artifact join batch_export_runs run
    on run.batch_export_id = artifact.batch_export_id and run.data_interval_start = artifact.data_interval_start
      and run.data_interval_end = artifact.data_interval_end and run.epoch = artifact.epoch
    where artifact.batch_export_id = ${exportId} and artifact.given_up_at is null`;

/**
 * Whether an unsettled run of the export uses the key space. A plan of an earlier version, which pins no key space, may use any; a run
 * without a plan uses none, because it will pin the key space of its export's row (`shareKeySpace`). SQL.
 */
const isUsed = (exportId: string, keySpace: string) => `exists (
  select from batch_export_runs used where used.id in (${unsettledRunsSql(exportId)})
    and used.plan is not null and coalesce(used.plan #>> '{destination,keySpace}', ${keySpace}) = ${keySpace})`;

/** SQL for whether files at the key space are still to be deleted, which needs its credentials. */
const hasFilesToDelete = (exportId: string, keySpace: string) => `exists (
  select from superseded_files file join batch_export_runs run on run.id = file.run_id
  where file.batch_export_id = ${exportId} and not exists (select from batch_export_health health
      where health.batch_export_id = file.batch_export_id and keeping_files_since is not null)
    and coalesce(run.plan #>> '{destination,keySpace}', ${keySpace}) = ${keySpace})`;

export type PlaceStore = ReturnType<typeof placeStore>;

export function placeStore(db: Knex) {
  return {
    /** Keeps other transactions from reserving a key space in the same store until this transaction ends. */
    async lockStore(store: string): Promise<void> {
      await db.raw('select pg_advisory_xact_lock(?, hashtext(?))', [ADVISORY_LOCKS.placesOfStore, store]);
    },

    /**
     * Key spaces that other exports have reserved: where they deliver now, and where one of their runs may still write although the
     * export was moved or deleted.
     * @param mark the `searchMarker` of a key space
     */
    async listReservations(mark: string, exceptExportId: string): Promise<Reservation[]> {
      const { rows } = await db.raw<{ rows: { id: string; key_space: string; model: Model }[] }>(
        `select id, key_space, model from batch_exports one
         where strpos(key_space, :mark) > 0 and id <> :exceptExportId and (deleted_at is null or ${isUsed('one.id', 'one.key_space')})
         union all
         select one.id, left_place.key_space, one.model from batch_export_places left_place
         join batch_exports one on one.id = left_place.batch_export_id
         where strpos(left_place.key_space, :mark) > 0 and one.id <> :exceptExportId
           and ${isUsed('one.id', 'left_place.key_space')}`,
        { mark, exceptExportId },
      );
      return rows.map(({ id, key_space, model }) => ({ exportId: id, keySpace: key_space, model }));
    },

    /** Key spaces that live exports deliver to. */
    async listLive(): Promise<Reservation[]> {
      const rows = await db<{ id: string; key_space: string; model: Model }>('batch_exports')
        .whereNull('deleted_at')
        .select('id', 'key_space', 'model');
      return rows.map(({ id, key_space, model }) => ({ exportId: id, keySpace: key_space, model }));
    },

    /** Pins plans of earlier versions to the current destination before the export's configuration changes; unpinned, they would follow it. */
    async pinPlans(exportId: string, destination: PinnedDestination): Promise<void> {
      await db.raw(
        `update batch_export_runs set plan = plan || :pinned::jsonb
         where id in (${unsettledRunsSql(':exportId::uuid')}) and plan is not null and not jsonb_exists(plan, 'destination')`,
        { exportId, pinned: JSON.stringify({ destination }) },
      );
    },

    /** Stores the place that the export is about to leave. */
    async storeLeftPlace(exportId: string, { keySpace, place, secrets, integration }: LeftPlace): Promise<void> {
      const row = { key_space: keySpace, place, secrets, integration_id: integration?.id ?? null };
      await db('batch_export_places')
        .insert({ batch_export_id: exportId, ...row })
        .onConflict(['batch_export_id', 'key_space'])
        .merge({ ...row, left_at: db.raw('clock_timestamp()') });
    },

    /** Forgets a stored place, because the export delivers there again. */
    async forgetLeftPlace(exportId: string, keySpace: string): Promise<void> {
      await db('batch_export_places').where({ batch_export_id: exportId, key_space: keySpace }).delete();
    },

    /** The newest credentials of a place that the export has left. */
    async findLeftPlace(exportId: string, place: string): Promise<LeftPlace | undefined> {
      const row = (await db('batch_export_places')
        .where({ batch_export_id: exportId, place })
        .orderBy('left_at', 'desc')
        .first('batch_export_places.*', db.raw(INTEGRATION_JSON))) as LeftPlaceRow | undefined;
      if (!row) return undefined;
      const { key_space: keySpace, secrets, integration } = row;
      return { keySpace, place: row.place, secrets, integration: integration && integrationFromRow(integration) };
    },

    /** Forgets places, credentials included, that neither a run nor a file to be deleted needs any more. @returns how many */
    async forgetUnused(): Promise<number> {
      // tooth: place-with-files
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from batch_export_places left_place where not ${isUsed('left_place.batch_export_id', 'left_place.key_space')}
           and not ${hasFilesToDelete('left_place.batch_export_id', 'left_place.key_space')}`,
      );
      return rowCount;
    },

    /**
     * Returns the key space of the export for a plan to pin, and keeps the export from being moved or deleted until the transaction ends.
     * @returns undefined when the export was deleted
     */
    async shareKeySpace(exportId: string): Promise<string | undefined> {
      const row = await db('batch_exports')
        .where({ id: exportId })
        .whereNull('deleted_at')
        .forShare()
        .first<{ key_space: string } | undefined>('key_space');
      return row?.key_space;
    },
  };
}
