/** Rows of batch exports, and their tilings (`batch_export_specs`). Instants are ISO text with microseconds. */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import { placeTakenError } from '../deliveries/key-spaces.ts';
import type { Visible } from '../../platform/http/access.ts';
import { whereVisible } from '../../people/access/visible.store.ts';
import { cadenceColumns, cadenceFromRow, fromRow, toColumns, type CadenceRow, type Row } from './batch-export-rows.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import type { Spec, Tiling } from '../domain/intervals.ts';
import { INTEGRATION_JSON } from '../integrations/integrations.store.ts';
import { PAUSE_JSON } from '../pauses/pauses.store.ts';
import type { BatchExport, BatchExportChange } from './batch-export.ts';

/** Whether the error violates `batch_exports_key_space`, an index that the previous version relies on while both versions run. */
function isKeySpaceTaken(error: unknown): boolean {
  return (
    sqlState(error) === SQL_STATE.uniqueViolation &&
    (error as { constraint?: string }).constraint === 'batch_exports_key_space'
  );
}

function throwPlaceTaken(error: unknown): never {
  if (!isKeySpaceTaken(error)) throw error;
  throw placeTakenError();
}

/** Fields of a new row; the database sets the others, such as `createdAt`. */
export type NewBatchExport = Omit<
  BatchExport,
  | 'content'
  | 'hashKey'
  | 'pause'
  | 'pausedReason'
  | 'retainedFrom'
  | 'maxConcurrentRuns'
  | 'createdAt'
  | 'createdBy'
  | 'lastUpdatedAt'
  | 'version'
> &
  Partial<Pick<BatchExport, 'content' | 'createdBy' | 'hashKey' | 'maxConcurrentRuns'>>;

const RETAINED_FROM =
  '(select retained_from from event_retention where event_retention.project_id = batch_exports.project_id) as retained_from';

export function batchExportStore(db: Knex) {
  const table = () => db<Row>('batch_exports');
  const columns = ['batch_exports.*', db.raw(INTEGRATION_JSON), db.raw(PAUSE_JSON), db.raw(RETAINED_FROM)];
  const rows = () => table().select<Row[]>(columns);
  const live = () => rows().whereNull('deleted_at');

  /** The specs of several exports, oldest first. */
  async function getTilings(ids: readonly string[]): Promise<Map<string, Spec[]>> {
    const rows = await db<CadenceRow & { batch_export_id: string; valid_from: string }>('batch_export_specs')
      .whereIn('batch_export_id', [...ids])
      .orderBy('valid_from');
    const byExport = new Map<string, Spec[]>(ids.map((id) => [id, []]));
    for (const row of rows) {
      const validFrom = row.valid_from === '-infinity' ? -Infinity : millisOf(row.valid_from);
      byExport.get(row.batch_export_id)?.push({ ...cadenceFromRow(row), validFrom });
    }
    return byExport;
  }

  return {
    /** @throws NotFound when the project has no such export */
    async get(projectId: number, id: string): Promise<BatchExport> {
      const row = await live().where({ project_id: projectId, id }).first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    /** Finds an export of any project, for the engine, which knows only its id; undefined if the export was deleted. */
    async find(id: string): Promise<BatchExport | undefined> {
      const row = await live().where({ id }).first();
      return row && fromRow(row);
    },

    /** Returns the exports with these ids that are not deleted. */
    async listByIds(ids: readonly string[]): Promise<BatchExport[]> {
      return ids.length === 0 ? [] : (await live().whereIn('id', [...ids])).map(fromRow);
    },

    /** Returns an export, even a deleted one, because its leftovers may have to be removed. @throws NotFound */
    async getIncludingDeleted(id: string): Promise<BatchExport & { deleted: boolean }> {
      const row = await rows().where({ id }).first();
      if (!row) throw new NotFound();
      return { ...fromRow(row), deleted: row.deleted_at !== null };
    },

    /** Lists all exports of a project. */
    async listIncludingDeleted(projectId: number): Promise<(BatchExport & { deleted: boolean })[]> {
      const found = await rows().where({ project_id: projectId }).orderBy('id');
      return found.map((row) => ({ ...fromRow(row), deleted: row.deleted_at !== null }));
    },

    /** Lists the exports that the caller may see, newest first; without a caller, all of them. */
    async list(
      projectId: number,
      page: { limit: number; offset: number },
      visible: Visible = { madeBy: null, except: [] },
    ): Promise<{ count: number; results: BatchExport[] }> {
      const columns = { id: 'batch_exports.id', createdBy: 'batch_exports.created_by' };
      const visibleRows = () => whereVisible(live().where({ project_id: projectId }), visible, columns);
      const countRow = (await visibleRows().clearSelect().count({ count: '*' }).first()) as unknown as {
        count: string;
      };
      const rows = await visibleRows()
        .orderBy([{ column: 'created_at', order: 'desc' }, 'id'])
        .limit(page.limit)
        .offset(page.offset);
      return { count: Number(countRow.count), results: rows.map(fromRow) };
    },

    /** @throws Conflict when another live export has the same key space */
    async insert(input: NewBatchExport): Promise<BatchExport> {
      const { id, projectId, createdBy = null, model, ...change } = input;
      const [row] = await table()
        .insert({ id, project_id: projectId, created_by: createdBy, model, ...toColumns(change) })
        .returning<Row[]>(columns)
        .catch(throwPlaceTaken);
      await db('batch_export_specs').insert({ batch_export_id: id, valid_from: '-infinity', ...cadenceColumns(input) });
      return fromRow(row!);
    },

    /** Locks the row until the transaction ends. @throws NotFound */
    async lock(projectId: number, id: string): Promise<BatchExport> {
      const row = await live().where({ project_id: projectId, id }).forNoKeyUpdate().first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    /**
     * Locks the row of an export, even a deleted one, until the transaction ends. Transactions that change several of its
     * requests or backfills take this lock first; in different orders they would deadlock.
     */
    async lockRow(id: string): Promise<void> {
      await table().where({ id }).forNoKeyUpdate().first('id');
    },

    /** Changes a row and raises its version, so the schedule is synchronized. @throws Conflict when the key space is taken */
    async update(id: string, change: BatchExportChange): Promise<BatchExport> {
      const [row] = await table()
        .where({ id })
        .update({
          ...toColumns(change),
          version: db.raw('version + 1'),
          last_updated_at: db.raw('clock_timestamp()'),
        })
        .returning<Row[]>(columns)
        .catch(throwPlaceTaken);
      return fromRow(row!);
    },

    async markDeleted(id: string): Promise<void> {
      await table()
        .where({ id })
        .update({ deleted_at: db.fn.now(), version: db.raw('version + 1'), last_updated_at: db.fn.now() });
    },

    /** The specs of an export, oldest first. */
    async getTiling(id: string): Promise<Tiling> {
      return (await getTilings([id])).get(id)!;
    },

    tilings: getTilings,

    async setTiling(id: string, tiling: Tiling): Promise<void> {
      await db('batch_export_specs').where({ batch_export_id: id }).delete();
      await db('batch_export_specs').insert(
        tiling.map((spec) => ({
          batch_export_id: id,
          ...cadenceColumns(spec),
          valid_from: spec.validFrom === -Infinity ? '-infinity' : isoMicros(spec.validFrom),
        })),
      );
    },

    /** The database's clock, which alone decides about intervals. */
    async now(): Promise<string> {
      const { rows } = await db.raw<{ rows: { now: string }[] }>('select clock_timestamp() as now');
      return rows[0]!.now;
    },
  };
}

export type BatchExportStore = ReturnType<typeof batchExportStore>;
