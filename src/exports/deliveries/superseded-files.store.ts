/** Files that left the manifest: readers of the earlier manifest may still use them, so they are deleted after a grace period. */
import type { Knex } from '../../platform/db/connection.ts';
import { intervalKey, type EpochLease } from './epoch-lease.store.ts';

/** Files at one place that are to be deleted; the run's plan says which place. */
export type DueFiles = { exportId: string; runId: string; keys: string[] };

/** Hours after which a denial counts as permanent. Shorter ones may have a passing cause, such as a policy that is still spreading. */
const PERMANENT_DENIAL_HOURS = 24;
/** Days of failures after which a place counts as gone. */
const GIVE_UP_AFTER_DAYS = 7;
/** Days for which leftovers of an interrupted commit wait for the interval's next delivery, which would delete them. */
const UNDELIVERED_DAYS = 30;

const IS_DUE = "left_at <= clock_timestamp() - :graceHours * interval '1 hour'";
const KEEPS_ALL_FILES = `exists (select from batch_export_health health
  where health.batch_export_id = file.batch_export_id and keeping_files_since is not null)`;

export function supersededFileStore(db: Knex) {
  const table = () => db('superseded_files');

  return {
    /**
     * Records files that leave the manifest with this run's commit; call it before the manifest changes. If an earlier run recorded a
     * file, its grace period starts anew.
     */
    async record(lease: EpochLease, runId: string, keys: readonly string[]): Promise<void> {
      if (keys.length === 0) return;
      await db.raw(
        `insert into superseded_files as file (batch_export_id, data_interval_start, data_interval_end, key, run_id, epoch)
         select :export, :start, :end, key, :run, :epoch from unnest(:keys::text[]) as key
         on conflict (batch_export_id, data_interval_start, data_interval_end, key) do update
           set run_id = excluded.run_id, epoch = excluded.epoch, recorded_at = excluded.recorded_at,
             left_at = null, failing_since = null, retry_at = null
           where file.epoch <= excluded.epoch`,
        {
          export: lease.exportId,
          start: lease.start,
          end: lease.end,
          run: runId,
          epoch: lease.epoch,
          keys: [...new Set(keys)].sort(),
        },
      );
    },

    /** Begins the grace period of the interval's files that were recorded under this epoch and earlier ones. */
    async beginGrace(lease: EpochLease): Promise<void> {
      await table()
        .where(intervalKey(lease))
        .where('epoch', '<=', lease.epoch)
        .whereNull('left_at')
        .update({ left_at: db.raw('clock_timestamp()') });
    },

    /**
     * Files whose grace period is over, grouped by the run that recorded them, the oldest first; without exports that keep all files.
     * @param perExport limit for each export
     */
    async listDueFiles(graceHours: number, perExport: number): Promise<DueFiles[]> {
      const { rows } = await db.raw<{ rows: { export: string; run: string; keys: string[] }[] }>(
        `select batch_export_id as export, run_id as run, array_agg(key order by left_at, key) as keys
         from (
           select *, row_number() over (partition by batch_export_id order by left_at, key) as place from superseded_files file
           where ${IS_DUE} and (retry_at is null or retry_at <= clock_timestamp())
             and not ${KEEPS_ALL_FILES}
         ) as due where place <= :perExport
         group by batch_export_id, run_id order by min(left_at)`,
        { graceHours, perExport },
      );
      return rows.map((row) => ({ exportId: row.export, runId: row.run, keys: row.keys }));
    },

    /** Returns the keys that are still due, because no later commit has recorded them again. */
    async filterStillDue(runId: string, graceHours: number, keys: readonly string[]): Promise<string[]> {
      // tooth: superseded-still-due
      const { rows } = await db.raw<{ rows: { key: string }[] }>(
        `select key from superseded_files where run_id = :runId and key = any(:keys) and ${IS_DUE} order by left_at, key`,
        { runId, graceHours, keys: [...keys] },
      );
      return rows.map(({ key }) => key);
    },

    /** Returns the keys that a run recorded and that are not deleted yet, due or not. */
    async listKeys(runId: string): Promise<string[]> {
      return table().where({ run_id: runId }).pluck('key');
    },

    /** Forgets keys that are deleted, unless a later commit has recorded them again. */
    async forget(runId: string, keys: readonly string[]): Promise<void> {
      await table()
        .where({ run_id: runId })
        .whereNotNull('left_at')
        .whereRaw('key = any(?)', [[...keys]])
        .delete();
    },

    /**
     * Postpones the deletion of a run's files by an hour, because it failed.
     * @returns whether it has failed for so long that a denial is permanent
     */
    async postpone(runId: string): Promise<boolean> {
      const { rows } = await db.raw<{ rows: { lasting: boolean }[] }>(
        `update superseded_files file set failing_since = coalesce(failing_since, clock_timestamp()),
           retry_at = clock_timestamp() + interval '1 hour'
         where run_id = ? and left_at is not null and not ${KEEPS_ALL_FILES}
         returning failing_since <= clock_timestamp() - interval '${PERMANENT_DENIAL_HOURS} hours' as lasting`,
        [runId],
      );
      // tooth: superseded-denied-a-day
      return rows.some(({ lasting }) => lasting);
    },

    /** Makes the files of an export that no longer keeps all files due at once, as if no deletion had failed. */
    async forgetFailures(exportId: string): Promise<void> {
      await table().where({ batch_export_id: exportId }).update({ failing_since: null, retry_at: null });
    },

    /** Forgets files that cannot be deleted, and those of intervals without a later delivery. The files stay. @returns how many */
    async giveUp(): Promise<number> {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from superseded_files where failing_since <= clock_timestamp() - interval '${GIVE_UP_AFTER_DAYS} days'
           or left_at is null and recorded_at <= clock_timestamp() - interval '${UNDELIVERED_DAYS} days'`,
      );
      return rowCount;
    },
  };
}
