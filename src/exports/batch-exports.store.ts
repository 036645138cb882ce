/** Rows of batch exports, and the history of their specs and pauses. Instants are ISO text with microseconds. */
import type { Knex } from '../db/connection.ts';
import { Conflict, NotFound } from '../errors.ts';
import { isoMicros, millisOf } from './domain/instants.ts';
import type { Interval, Tiling } from './domain/intervals.ts';

export type BatchExport = {
  id: string;
  projectId: number;
  name: string;
  model: string;
  destinationType: string;
  /** Without secrets. */
  destinationConfig: Record<string, unknown>;
  /** Sealed; null when the configuration has no secret. */
  destinationSecrets: string | null;
  keySpace: string;
  interval: Interval;
  paused: boolean;
  lastPausedAt: string | null;
  startAt: string | null;
  endAt: string | null;
  createdAt: string;
  lastUpdatedAt: string;
  /** Raised by every change that the schedule must follow. */
  version: string;
};

/** What a change may set; the rest follows from it. */
export type BatchExportChange = Partial<
  Pick<
    BatchExport,
    | 'name'
    | 'destinationType'
    | 'destinationConfig'
    | 'destinationSecrets'
    | 'keySpace'
    | 'interval'
    | 'paused'
    | 'lastPausedAt'
    | 'startAt'
    | 'endAt'
  >
>;

type Row = {
  id: string;
  project_id: number;
  name: string;
  model: string;
  destination_type: string;
  destination_config: Record<string, unknown>;
  destination_secrets: string | null;
  key_space: string;
  interval: string;
  paused: boolean;
  last_paused_at: string | null;
  start_at: string | null;
  end_at: string | null;
  created_at: string;
  last_updated_at: string;
  deleted_at: string | null;
  version: string;
};

function fromRow(row: Row): BatchExport {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    model: row.model,
    destinationType: row.destination_type,
    destinationConfig: row.destination_config,
    destinationSecrets: row.destination_secrets,
    keySpace: row.key_space,
    interval: row.interval,
    paused: row.paused,
    lastPausedAt: row.last_paused_at,
    startAt: row.start_at,
    endAt: row.end_at,
    createdAt: row.created_at,
    lastUpdatedAt: row.last_updated_at,
    version: row.version,
  };
}

const COLUMN: Record<keyof BatchExportChange, keyof Row> = {
  name: 'name',
  destinationType: 'destination_type',
  destinationConfig: 'destination_config',
  destinationSecrets: 'destination_secrets',
  keySpace: 'key_space',
  interval: 'interval',
  paused: 'paused',
  lastPausedAt: 'last_paused_at',
  startAt: 'start_at',
  endAt: 'end_at',
};

function toColumns(change: BatchExportChange): Record<string, unknown> {
  const entries = Object.entries(change) as [keyof BatchExportChange, unknown][];
  return Object.fromEntries(
    entries.filter(([, value]) => value !== undefined).map(([name, value]) => [COLUMN[name], value]),
  );
}

/** Postgres's unique_violation, on the constraint that says so. */
function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'batch_exports_key_space';
}

function sayTaken(error: unknown): never {
  if (!isTaken(error)) throw error;
  throw new Conflict(
    'Another batch export already delivers to this place: choose another prefix, directory or table, or delete that export.',
  );
}

/** `createdAt` and the like are set by the database. */
export type NewBatchExport = Omit<BatchExport, 'createdAt' | 'lastUpdatedAt' | 'version'>;

export function batchExportStore(db: Knex) {
  const table = () => db<Row>('batch_exports');
  const live = () => table().whereNull('deleted_at');

  return {
    /** @throws NotFound when the project has no such export */
    async get(projectId: number, id: string): Promise<BatchExport> {
      const row = await live().where({ project_id: projectId, id }).first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    /** For the engine, whose authority is the schedule's id: any project's, undefined when deleted. */
    async find(id: string): Promise<BatchExport | undefined> {
      const row = await live().where({ id }).first();
      return row && fromRow(row);
    },

    /** Also a deleted one, for taking back what it left. @throws NotFound */
    async evenDeleted(id: string): Promise<BatchExport & { deleted: boolean }> {
      const row = await table().where({ id }).first();
      if (!row) throw new NotFound();
      return { ...fromRow(row), deleted: row.deleted_at !== null };
    },

    /** Newest first. */
    async list(
      projectId: number,
      page: { limit: number; offset: number },
    ): Promise<{ count: number; results: BatchExport[] }> {
      const ofProject = () => live().where({ project_id: projectId });
      const counted = (await ofProject().count({ count: '*' }).first()) as { count: string };
      const rows = await ofProject()
        .orderBy([{ column: 'created_at', order: 'desc' }, 'id'])
        .limit(page.limit)
        .offset(page.offset);
      return { count: Number(counted.count), results: rows.map(fromRow) };
    },

    /** @throws Conflict when another live export has the same key space */
    async insert(one: NewBatchExport): Promise<BatchExport> {
      const { id, projectId, model, ...change } = one;
      const [row] = await table()
        .insert({ id, project_id: projectId, model, ...toColumns(change) })
        .returning('*')
        .catch(sayTaken);
      await db('batch_export_specs').insert({ batch_export_id: id, valid_from: '-infinity', interval: one.interval });
      return fromRow(row!);
    },

    /** Locks the row until the transaction ends. @throws NotFound */
    async lock(projectId: number, id: string): Promise<BatchExport> {
      const row = await live().where({ project_id: projectId, id }).forNoKeyUpdate().first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    /** Raises the version, so that the schedule follows. @throws Conflict when the key space is taken */
    async update(id: string, change: BatchExportChange): Promise<BatchExport> {
      const [row] = await table()
        .where({ id })
        .update({
          ...toColumns(change),
          version: db.raw('version + 1'),
          last_updated_at: db.raw('clock_timestamp()'),
        } as never)
        .returning('*')
        .catch(sayTaken);
      return fromRow(row!);
    },

    async markDeleted(id: string): Promise<void> {
      await table()
        .where({ id })
        .update({ deleted_at: db.fn.now(), version: db.raw('version + 1'), last_updated_at: db.fn.now() } as never);
    },

    /** The specs of an export, oldest first. */
    async tiling(id: string): Promise<Tiling> {
      const rows = await db<{ batch_export_id: string; interval: string; valid_from: string }>('batch_export_specs')
        .where({ batch_export_id: id })
        .orderBy('valid_from');
      return rows.map((row) => ({
        interval: row.interval,
        validFrom: row.valid_from === '-infinity' ? -Infinity : millisOf(row.valid_from),
      }));
    },

    async setTiling(id: string, tiling: Tiling): Promise<void> {
      await db('batch_export_specs').where({ batch_export_id: id }).delete();
      await db('batch_export_specs').insert(
        tiling.map((spec) => ({
          batch_export_id: id,
          interval: spec.interval,
          valid_from: spec.validFrom === -Infinity ? '-infinity' : isoMicros(spec.validFrom),
        })),
      );
    },

    async openPause(id: string): Promise<void> {
      await db('batch_export_pauses').insert({ batch_export_id: id, paused_at: db.raw('clock_timestamp()') });
    },

    async closePause(id: string): Promise<void> {
      await db('batch_export_pauses')
        .where({ batch_export_id: id })
        .whereNull('unpaused_at')
        .update({ unpaused_at: db.raw('clock_timestamp()') });
    },

    /** The database's clock, which alone decides about intervals. */
    async now(): Promise<string> {
      const { rows } = await db.raw<{ rows: { now: string }[] }>('select clock_timestamp() as now');
      return rows[0]!.now;
    },
  };
}

export type BatchExportStore = ReturnType<typeof batchExportStore>;
