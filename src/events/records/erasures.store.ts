/** Erasures: persons that are deleted together with their events. The rows are deleted by the reconciler (erase-persons.ts). */
import { randomUUID } from 'node:crypto';
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { Visible } from '../../platform/http/access.ts';
import type { ListedRow, PageWindow } from '../../platform/http/parameters/pagination.ts';
import { seesAll, whereVisible } from '../../people/access/visible.store.ts';
import type { RemainderReason } from '../table/erasing.ts';
import { ensureAnswered } from '../table/lookup.ts';

export const ERASURE_STATES = ['pending', 'deleting', 'redelivering', 'done', 'done_with_remainder'] as const;
export const ERASED_DELIVERY_STATES = ['held', 'clean', 'remainder', 'not_searched', 'handled'] as const;

/** Limit of the distinct ids of all persons of an erasure: each event is compared with all of them. */
export const MAX_DISTINCT_IDS = 10_000;
/** Limit of a project's erasures that have not ended: each reads all events of the project. */
export const MAX_OPEN_ERASURES = 100;

export type DeliveryCounts = Record<(typeof ERASED_DELIVERY_STATES)[number], number>;

export type Erasure = ListedRow & {
  state: (typeof ERASURE_STATES)[number];
  /** Rows that were stored from this instant on stay. */
  storedBefore: string;
  finishedAt: string | null;
  persons: number;
  eventsDeleted: number;
  personVersionsDeleted: number;
  deliveries: DeliveryCounts;
};

export type ErasedDelivery = ListedRow & {
  batchExportId: string;
  start: string;
  end: string;
  destinationType: string;
  rows: number;
  runId: string | null;
  state: (typeof ERASED_DELIVERY_STATES)[number];
  reason: RemainderReason | null;
  /** Of the last search; null if there was none. */
  rowsFound: number | null;
  keptUntil: string | null;
  /** When somebody said that they have removed what remained. */
  handledAt: string | null;
};

/** The persons of a request: by id, with all of their distinct ids, or by distinct id, also such that have no person. */
export type ErasureSubject = { ids: readonly string[] } | { distinctIds: readonly string[] };

type Row = {
  id: string;
  created_at: string;
  state: Erasure['state'];
  stored_before: string;
  finished_at: string | null;
  persons: number;
  events_deleted: string;
  person_versions_deleted: string;
} & Record<keyof DeliveryCounts, number>;

const COLUMNS = `id, created_at, state, stored_before, finished_at, persons, events_deleted, person_versions_deleted,
  ${ERASED_DELIVERY_STATES.map(
    (state) =>
      `(select count(*)::int from erased_deliveries where erasure_id = erasures.id and state = '${state}') as ${state}`,
  ).join(', ')}`;
const TOO_MANY = 'Nothing is erased. Ask for fewer persons at once.';

export function erasureStore(db: Knex) {
  async function get(projectId: number, id: string): Promise<Erasure> {
    const { rows } = await db.raw<{ rows: Row[] }>(`select ${COLUMNS} from erasures where project_id = ? and id = ?`, [
      projectId,
      id,
    ]);
    const [row] = rows;
    if (!row) throw new NotFound();
    return erasureFrom(row);
  }

  return {
    /** @throws NotFound when the project has no such erasure */
    get,

    async list(projectId: number, page: PageWindow): Promise<Erasure[]> {
      const { sign, order, edge } = keysetOf(page);
      const { rows } = await db.raw<{ rows: Row[] }>(
        `select ${COLUMNS} from erasures where project_id = :projectId ${edge ? `and (created_at, id) ${sign} (:edgeTime, :edgeId)` : ''}
         order by created_at ${order}, id ${order} limit :limit`,
        { projectId, limit: page.limit, ...(edge && { edgeTime: edge.createdAt, edgeId: edge.id }) },
      );
      return newestFirst(rows.map(erasureFrom), page);
    },

    /**
     * Data intervals whose deliveries may hold the rows, newest first. The id of a row's position is that of the batch export.
     * @param visible the exports that the caller sees
     */
    async listDeliveries(
      { id }: Pick<Erasure, 'id'>,
      { states, visible }: { states: readonly ErasedDelivery['state'][]; visible: Visible },
      page: PageWindow,
    ): Promise<ErasedDelivery[]> {
      const { sign, order, edge } = keysetOf(page);
      const seen = seesAll(visible) ? undefined : whereVisible(db('batch_exports').select('id'), visible);
      const { rows } = await db.raw<{ rows: Omit<ErasedDelivery, 'createdAt' | 'id'>[] }>(
        `select batch_export_id as "batchExportId", data_interval_start as start, data_interval_end as "end", rows::float8 as rows, run_id as "runId",
           delivery.state, reason, rows_found::float8 as "rowsFound", kept_until as "keptUntil", handled_at as "handledAt", destination_type as "destinationType"
         from erased_deliveries as delivery join batch_exports on batch_exports.id = batch_export_id
         where erasure_id = :id ${states.length > 0 ? 'and delivery.state = any (:states)' : ''}
           ${seen ? 'and batch_export_id in (:seen)' : ''}
           ${edge ? `and (data_interval_end, batch_export_id) ${sign} (:edgeTime, :edgeId)` : ''}
         order by data_interval_end ${order}, batch_export_id ${order} limit :limit`,
        {
          id,
          limit: page.limit,
          ...(states.length > 0 && { states: [...states] }),
          ...(seen && { seen }),
          ...(edge && { edgeTime: edge.createdAt, edgeId: edge.id }),
        },
      );
      return newestFirst(
        rows.map((row) => ({ ...row, createdAt: row.end, id: row.batchExportId })),
        page,
      );
    },

    /**
     * Deletes the persons and records that their rows are to be deleted; call it in a transaction. The lock on the project's persons waits
     * for events that are being stored: all of them are erased, and none that is stored later.
     * @returns the erasure, and whether it is new: if the persons are gone and an erasure of them has not ended, that one is returned. Not so
     *   by distinct ids once it deletes rows: events with them may have been stored since it was requested.
     * @throws NotFound when there is none of the persons, and no erasure of them; InvalidInput; Unavailable
     */
    async request(projectId: number, subject: ErasureSubject): Promise<{ erasure: Erasure; isNew: boolean }> {
      await ensureAnswered(
        db.raw('select pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.personMerges, projectId]),
        TOO_MANY,
      );
      const { personIds, distinctIds } = await findPersons(projectId, subject);
      if (personIds.length === 0) {
        const open = await findOpen(projectId, subject);
        if (open !== undefined) return { erasure: await get(projectId, open), isNew: false };
        if ('ids' in subject) throw new NotFound();
      }
      if (distinctIds.length > MAX_DISTINCT_IDS) {
        const message = `The persons have more than ${MAX_DISTINCT_IDS} distinct IDs in total. ${TOO_MANY}`;
        throw new InvalidInput(message, 'ids' in subject ? 'ids' : 'distinct_ids');
      }
      const open = await db('erasures').where({ project_id: projectId }).whereNull('finished_at').count({ count: '*' });
      if (Number(open[0]!['count']) >= MAX_OPEN_ERASURES)
        throw new InvalidInput(
          `The project has ${MAX_OPEN_ERASURES} erasures that have not ended. Wait until one has.`,
        );
      await ensureAnswered(db.raw('select delete_persons(?, ?::uuid[])', [projectId, personIds]), TOO_MANY);
      const id = randomUUID();
      await db.raw(
        `insert into erasures (id, project_id, stored_before, persons, person_ids, distinct_ids) values (?, ?, ingest_now(), ?, ?::uuid[], ?::text[])`,
        [id, projectId, personIds.length, personIds, distinctIds],
      );
      return { erasure: await get(projectId, id), isNew: true };
    },
  };

  async function findPersons(projectId: number, subject: ErasureSubject) {
    const byId = 'ids' in subject;
    const given = byId ? subject.ids : subject.distinctIds;
    const { rows } = await ensureAnswered(
      db.raw<{ rows: { personIds: string[]; distinctIds: string[] }[] }>(
        `with found as (
           ${
             byId
               ? 'select id from persons where project_id = :projectId and id = any (:given::uuid[])'
               : `select distinct person_id as id from person_distinct_ids
                  where project_id = :projectId and distinct_id = any (:given::text[]) and person_id is not null`
           }
         )
         select array(select id from found) as "personIds", array(
           select distinct_id from person_distinct_ids where project_id = :projectId and person_id in (select id from found)
           ${byId ? '' : 'union select unnest(:given::text[])'} limit ${MAX_DISTINCT_IDS + 1}) as "distinctIds"`,
        { projectId, given: [...given] },
      ),
      TOO_MANY,
    );
    return rows[0]!;
  }

  /** The newest erasure that has not ended, of one of the ids, as unknown ones are ignored; or that has not begun, of all distinct ids. */
  async function findOpen(projectId: number, subject: ErasureSubject): Promise<string | undefined> {
    const [isOfSubject, given] =
      'ids' in subject
        ? ['person_ids && ?::uuid[]', subject.ids]
        : [`state = 'pending' and distinct_ids @> ?::text[]`, subject.distinctIds];
    const { rows } = await db.raw<{ rows: { id: string }[] }>(
      `select id from erasures where project_id = ? and finished_at is null and ${isOfSubject} order by created_at desc limit 1`,
      [projectId, [...given]],
    );
    return rows[0]?.id;
  }
}

function erasureFrom(row: Row): Erasure {
  return {
    id: row.id,
    createdAt: row.created_at,
    state: row.state,
    storedBefore: row.stored_before,
    finishedAt: row.finished_at,
    persons: row.persons,
    eventsDeleted: Number(row.events_deleted),
    personVersionsDeleted: Number(row.person_versions_deleted),
    deliveries: Object.fromEntries(ERASED_DELIVERY_STATES.map((state) => [state, row[state]])) as DeliveryCounts,
  };
}

export type ErasureStore = ReturnType<typeof erasureStore>;
