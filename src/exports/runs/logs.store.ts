/** Log of an export, in sentences that its users read. No hosts, no secrets: the writers see to it. */
import type { Knex } from '../../platform/db/connection.ts';

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogEntry = {
  batchExportId: string;
  runId: string | null;
  workflowRunId: string | null;
  timestamp: string;
  level: LogLevel;
  message: string;
};

type Row = {
  batch_export_id: string;
  run_id: string | null;
  workflow_run_id: string | null;
  timestamp: string;
  level: LogLevel;
  message: string;
};

export type LogQuery = {
  batchExportId: string;
  runId?: string;
  limit: number;
  offset: number;
  /** Later than this instant, earlier than that; ISO. */
  after?: string | undefined;
  before?: string | undefined;
  /** None: any. */
  levels?: readonly LogLevel[];
  /** Text that a message must contain, ignoring case. */
  search?: string | undefined;
  /** The run with this execution. */
  workflowRunId?: string | undefined;
};

export function logStore(db: Knex) {
  return {
    async append(entry: {
      batchExportId: string;
      runId: string | null;
      level: LogLevel;
      message: string;
    }): Promise<void> {
      await db('batch_export_logs').insert({
        batch_export_id: entry.batchExportId,
        run_id: entry.runId,
        level: entry.level,
        message: entry.message,
      });
    },

    /** Newest first. */
    async list(query: LogQuery): Promise<{ count: number; results: LogEntry[] }> {
      const { batchExportId, runId, after, before, levels = [], search, workflowRunId } = query;
      const matching = () => {
        const rows = db('batch_export_logs as log').where('log.batch_export_id', batchExportId);
        if (runId !== undefined) rows.where('log.run_id', runId);
        if (after !== undefined) rows.where('log.timestamp', '>', after);
        if (before !== undefined) rows.where('log.timestamp', '<', before);
        if (levels.length > 0) rows.whereIn('log.level', [...levels]);
        if (search !== undefined) rows.whereILike('log.message', containing(search));
        if (workflowRunId !== undefined) {
          rows.whereIn('log.run_id', db('batch_export_runs').where({ workflow_run_id: workflowRunId }).select('id'));
        }
        return rows;
      };
      const counted = (await matching().count({ count: '*' }).first()) as { count: string };
      const rows = (await matching()
        .leftJoin('batch_export_runs as run', 'run.id', 'log.run_id')
        .select('log.*', 'run.workflow_run_id')
        .orderBy([
          { column: 'log.timestamp', order: 'desc' },
          { column: 'log.id', order: 'desc' },
        ])
        .limit(query.limit)
        .offset(query.offset)) as Row[];
      const results = rows.map((row) => ({
        batchExportId: row.batch_export_id,
        runId: row.run_id,
        workflowRunId: row.workflow_run_id,
        timestamp: row.timestamp,
        level: row.level,
        message: row.message,
      }));
      return { count: Number(counted.count), results };
    },
  };
}

/** The pattern of texts that contain this one. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

export type LogStore = ReturnType<typeof logStore>;
