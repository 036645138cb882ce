/** Queries for setting a schedule in Temporal from its row, and for finding schedules that may differ from their rows. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Cadence } from '../domain/cadence.ts';

/** Fields of an export that its schedule depends on. */
export type ScheduledExport = Cadence & {
  id: string;
  projectId: number;
  jitterSeconds: number;
  destinationType: string;
  model: string;
  paused: boolean;
  startAt: string | null;
  endAt: string | null;
  /** Instant from which the current cadence holds; `-infinity` if it always did. */
  validFrom: string;
  deleted: boolean;
  version: string;
  /** The version that the schedule was last set to. */
  scheduleVersion: string;
};

type Row = {
  id: string;
  project_id: number;
  interval: string;
  timezone: string;
  offset_day: number;
  offset_hour: number;
  jitter_seconds: number;
  destination_type: string;
  model: string;
  paused: boolean;
  start_at: string | null;
  end_at: string | null;
  deleted_at: string | null;
  version: string;
  schedule_version: string;
};

export function scheduleStore(db: Knex) {
  const table = () => db<Row>('batch_exports');

  async function readScheduled(row: Row | undefined): Promise<ScheduledExport | undefined> {
    if (!row) return undefined;
    const spec = await db<{ batch_export_id: string; valid_from: string }>('batch_export_specs')
      .where({ batch_export_id: row.id })
      .orderBy('valid_from', 'desc')
      .first();
    return {
      id: row.id,
      projectId: row.project_id,
      interval: row.interval,
      timezone: row.timezone,
      offsetDay: row.offset_day,
      offsetHour: row.offset_hour,
      jitterSeconds: row.jitter_seconds,
      destinationType: row.destination_type,
      model: row.model,
      paused: row.paused,
      startAt: row.start_at,
      endAt: row.end_at,
      validFrom: spec?.valid_from ?? '-infinity',
      deleted: row.deleted_at !== null,
      version: row.version,
      scheduleVersion: row.schedule_version,
    };
  }

  return {
    /** Locks the row while its schedule is being set, so setters take turns and the last one sets the newest row. */
    async lock(id: string): Promise<ScheduledExport | undefined> {
      return readScheduled(await table().where({ id }).forNoKeyUpdate().first());
    },

    async find(id: string): Promise<ScheduledExport | undefined> {
      return readScheduled(await table().where({ id }).first());
    },

    async markSet(id: string, version: string): Promise<void> {
      await db('batch_exports').where({ id }).update({ schedule_version: version, schedule_verified_at: db.fn.now() });
    },

    /** Whether each export is paused, by id, for exports whose schedule was set from their present row. */
    async readPauseStates(): Promise<Map<string, boolean>> {
      const rows = await table().whereNull('deleted_at').whereRaw('schedule_version = version').select('id', 'paused');
      return new Map(rows.map(({ id, paused }) => [id, paused]));
    },

    /** Exports whose row changed since their schedule was set, and the `share` that was verified longest ago. */
    async listExportsToVerify(share: number): Promise<string[]> {
      const { rows } = await db.raw<{ rows: { id: string }[] }>(
        `select id from batch_exports where schedule_version <> version
         union
         (select id from batch_exports where deleted_at is null order by schedule_verified_at
          limit (select ceil(count(*) * ?::float8) from batch_exports where deleted_at is null))`,
        [share],
      );
      return rows.map((row) => row.id);
    },
  };
}
