/** Times since when an export has each kind of trouble: set when the trouble is first seen, cleared when it ends. */
import type { Knex } from '../../platform/db/connection.ts';

/**
 * `failing`: from a failed run to the next `Completed` one. `behind`: while the lag exceeds the target. `overlapping`: while the export
 * and another one may write the same keys. `keeping_files`: after the destination has denied deletes for a day, until the destination or
 * its integration's secrets change. `expiring`: while the deletion of events waits for data intervals of the export.
 */
export type Trouble = 'failing' | 'behind' | 'overlapping' | 'keeping_files' | 'expiring';
const COLUMNS = {
  failing: 'failing_since',
  behind: 'behind_since',
  overlapping: 'overlapping_since',
  keeping_files: 'keeping_files_since',
  expiring: 'expiring_since',
} as const satisfies Record<Trouble, string>;

export function healthStore(db: Knex) {
  const table = () => db('batch_export_health');

  return {
    /** Begins a trouble; locks no row if it has begun already. @returns whether the trouble is new */
    async begin(exportId: string, trouble: Trouble): Promise<boolean> {
      const column = COLUMNS[trouble];
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `insert into batch_export_health as health (batch_export_id, ${column})
         select :exportId, clock_timestamp()
         where not exists (select from batch_export_health where batch_export_id = :exportId and ${column} is not null)
         on conflict (batch_export_id) do update set ${column} = excluded.${column} where health.${column} is null`,
        { exportId },
      );
      return rowCount > 0;
    },

    /** Ends `keeping_files` for an integration's exports, because new secrets may permit deletes, at present and former places. */
    async endKeepingFiles(integrationId: number): Promise<void> {
      await db.raw(
        `update batch_export_health set keeping_files_since = null
         where keeping_files_since is not null and batch_export_id in (
           select id from batch_exports where integration_id = :integrationId
           union all select batch_export_id from batch_export_places where integration_id = :integrationId)`,
        { integrationId },
      );
    },

    /** Ids of the exports that have the trouble. */
    async listExportsWith(trouble: Trouble): Promise<string[]> {
      const rows = (await table().whereNotNull(COLUMNS[trouble]).select('batch_export_id')) as {
        batch_export_id: string;
      }[];
      return rows.map(({ batch_export_id }) => batch_export_id);
    },

    /** Exports that have had `expiring` for so many days, deleted ones too. */
    async listExpiring({ days = 0 } = {}): Promise<{ id: string; projectId: number }[]> {
      return table()
        .join('batch_exports', 'id', 'batch_export_id')
        .whereRaw('expiring_since <= clock_timestamp() - make_interval(days => ?)', [days])
        .select('id', 'project_id as projectId');
    },

    /** @returns whether the export had the trouble */
    async end(exportId: string, trouble: Trouble): Promise<boolean> {
      const column = COLUMNS[trouble];
      const ended = await table()
        .where({ batch_export_id: exportId })
        .whereNotNull(column)
        .update({ [column]: null });
      return ended > 0;
    },
  };
}
