/** Logs of exports. Users read the messages, so callers must leave out hosts and secrets. */
import type { Knex } from '../../platform/db/connection.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { ListedRow, PageWindow, Position } from '../../platform/http/parameters/pagination.ts';

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogEntry = {
  id: string;
  batchExportId: string;
  runId: string | null;
  workflowRunId: string | null;
  timestamp: string;
  level: LogLevel;
  message: string;
  attempt: number | null;
};

type Row = {
  id: string;
  batch_export_id: string;
  run_id: string | null;
  workflow_run_id: string | null;
  timestamp: string;
  level: LogLevel;
  message: string;
  attempt: number | null;
};

/** Chooses entries of an export, or of one of its runs. */
export type LogFilter = {
  batchExportId: string;
  runId?: string;
  /** Instants between which the entry was written, both exclusive; ISO. */
  after?: string | undefined;
  before?: string | undefined;
  /** An empty list means any level. */
  levels?: readonly LogLevel[];
  attempt?: number | undefined;
  /** Text that a message must contain, ignoring case. */
  search?: string | undefined;
  /** Returns only entries of the run with this workflow run id. */
  workflowRunId?: string | undefined;
};

export type LogQuery = LogFilter & { limit: number; offset: number };

export type ListedEntry = ListedRow & { entry?: LogEntry };

/** Limit of entries examined for one page, because entries that a filter leaves out take time too. */
const MAX_ENTRIES_SEARCHED = 200_000;

export function logStore(db: Knex, { maxSearched = MAX_ENTRIES_SEARCHED } = {}) {
  /** Entries selected by indexed columns. */
  function entriesOf({ batchExportId, runId, after, before }: LogFilter) {
    const rows = db('batch_export_logs as log').where('log.batch_export_id', batchExportId);
    if (runId !== undefined) rows.where('log.run_id', runId);
    if (after !== undefined) rows.where('log.timestamp', '>', after);
    if (before !== undefined) rows.where('log.timestamp', '<', before);
    return rows;
  }

  /** Filters rows by columns without an index. */
  function applyFilter(rows: Knex.QueryBuilder, { levels = [], attempt, search, workflowRunId }: LogFilter) {
    if (levels.length > 0) rows.whereIn('log.level', [...levels]);
    if (attempt !== undefined) rows.where('log.attempt', attempt);
    if (search !== undefined) rows.whereILike('log.message', containsPattern(search));
    if (workflowRunId !== undefined) {
      rows.whereIn('log.run_id', db('batch_export_runs').where({ workflow_run_id: workflowRunId }).select('id'));
    }
    return rows;
  }

  /** The entries before or after a position of the list. */
  function entriesAfter(filter: LogFilter, page: PageWindow, ascending = false) {
    const { sign, order, edge } = keysetOf(page, { ascending });
    const rows = entriesOf(filter).orderBy([
      { column: 'log.timestamp', order },
      { column: 'log.id', order },
    ]);
    if (edge) rows.whereRaw(`(log.timestamp, log.id) ${sign} (?::timestamptz, ?::bigint)`, [edge.createdAt, edge.id]);
    return { rows, order };
  }

  /** Returns matching entries on one side of a position. If the search reached its limit, the last item has no entry and marks where it ended. */
  async function searchAfter(filter: LogFilter, page: PageWindow, ascending = false): Promise<ListedEntry[]> {
    const { rows, order } = entriesAfter(filter, page, ascending);
    const newest = rows.clone().select('log.*').limit(maxSearched).as('log');
    const found = (await withRun(applyFilter(db.from(newest), filter))
      .orderBy([
        { column: 'log.timestamp', order },
        { column: 'log.id', order },
      ])
      .limit(page.limit)) as Row[];
    const entries = found.map((row): ListedEntry => ({ ...positionOf(row), entry: entryFrom(row) }));
    if (entries.length >= page.limit) return entries;
    const [last] = (await rows
      .select('log.timestamp', 'log.id')
      .offset(maxSearched - 1)
      .limit(1)) as Row[];
    return last ? [...entries, { ...positionOf(last), lastSearched: true }] : entries;
  }

  return {
    async append(entry: {
      batchExportId: string;
      runId: string | null;
      level: LogLevel;
      message: string;
      /** The attempt that writes the entry, if one does. */
      attempt?: number | undefined;
    }): Promise<void> {
      await db('batch_export_logs').insert({
        batch_export_id: entry.batchExportId,
        run_id: entry.runId,
        level: entry.level,
        message: entry.message,
        attempt: entry.attempt ?? null,
      });
    },

    /** Lists entries newest first, and counts them. */
    async list(query: LogQuery): Promise<{ count: number; results: LogEntry[] }> {
      const matchingRows = () => applyFilter(entriesOf(query), query);
      const countRow = (await matchingRows().count({ count: '*' }).first()) as { count: string };
      const rows = (await withRun(matchingRows())
        .orderBy([
          { column: 'log.timestamp', order: 'desc' },
          { column: 'log.id', order: 'desc' },
        ])
        .limit(query.limit)
        .offset(query.offset)) as Row[];
      return { count: Number(countRow.count), results: rows.map(entryFrom) };
    },

    /** Lists the entries before or after a position, newest first. */
    async listPage(filter: LogFilter, page: PageWindow): Promise<ListedEntry[]> {
      return newestFirst(await searchAfter(filter, page), page);
    },

    /** Yields up to `max` matching entries, oldest first, in batches of at most `batchSize`. */
    async *streamAll(
      filter: LogFilter,
      { max, batchSize }: { max: number; batchSize: number },
    ): AsyncGenerator<LogEntry[]> {
      let remaining = max;
      let after: Position | undefined;
      while (remaining > 0) {
        const page = { limit: Math.min(batchSize, remaining), ...(after && { olderThan: after }) };
        const listed = await searchAfter(filter, page, true);
        const entries = listed.flatMap(({ entry }) => (entry ? [entry] : []));
        if (entries.length > 0) yield entries;
        const last = listed.at(-1);
        if (!last || (entries.length < page.limit && !last.lastSearched)) return;
        remaining -= entries.length;
        after = last;
      }
    },
  };
}

function withRun(rows: Knex.QueryBuilder) {
  return rows.leftJoin('batch_export_runs as run', 'run.id', 'log.run_id').select('log.*', 'run.workflow_run_id');
}

function positionOf({ timestamp, id }: Pick<Row, 'timestamp' | 'id'>): Position {
  return { createdAt: timestamp, id };
}

function entryFrom(row: Row): LogEntry {
  return {
    id: row.id,
    batchExportId: row.batch_export_id,
    runId: row.run_id,
    workflowRunId: row.workflow_run_id,
    timestamp: row.timestamp,
    level: row.level,
    message: row.message,
    attempt: row.attempt,
  };
}

/** LIKE pattern that matches every text containing this one. */
function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

export type LogStore = ReturnType<typeof logStore>;
