/** Rows of experiments. Writers hold the project's lock (`stores.inTransaction`); instants are ISO text with microseconds. */
import type { Knex } from '../../../platform/db/connection.ts';
import { NotFound } from '../../../platform/errors.ts';
import type { Metric } from './results/metrics.ts';
import { PHASE_CONDITIONS, type Phase } from './phases.ts';

export const TYPES = ['product', 'web'] as const;

/** Fields of an experiment, with the same names on the wire and in the table. */
export type ExperimentFields = {
  name: string;
  description: string;
  type: (typeof TYPES)[number];
  flag_id: number;
  holdout_id: number | null;
  /** Start of the measurement; null for a draft. */
  start_date: string | null;
  end_date: string | null;
  /** Parameters that clients store, without those about the flag, which are read from the flag. */
  parameters: Record<string, unknown>;
  filters: Record<string, unknown>;
  metrics: Metric[];
  metrics_secondary: Metric[];
  exposure_criteria: Record<string, unknown>;
  archived: boolean;
};

export type Experiment = ExperimentFields & {
  id: number;
  project_id: number;
  deleted: boolean;
  created_by: number | null;
  created_at: string;
  updated_at: string;
};

export type ExperimentQuery = {
  archived?: boolean | undefined;
  phase?: Phase | undefined;
  flagId?: number | undefined;
  /** Part of the name. */
  search?: string | undefined;
  limit: number;
  offset: number;
};

export function experimentStore(db: Knex) {
  const liveRows = (projectId: number) =>
    db<Experiment>('experiments').where({ project_id: projectId, deleted: false });

  return {
    /** @throws NotFound when the project has no such experiment */
    async get(projectId: number, id: number): Promise<Experiment> {
      const row = await liveRows(projectId).where({ id }).first();
      if (!row) throw new NotFound();
      return row;
    },

    /** Lists the newest first. */
    async list(projectId: number, query: ExperimentQuery): Promise<{ count: number; results: Experiment[] }> {
      const { archived, phase, flagId, search, limit, offset } = query;
      const matchingRows = () => {
        const rows = liveRows(projectId);
        if (archived !== undefined) rows.where({ archived });
        if (flagId !== undefined) rows.where({ flag_id: flagId });
        if (phase !== undefined) rows.whereRaw(PHASE_CONDITIONS[phase]);
        if (search !== undefined) rows.whereRaw('strpos(lower(name), lower(?)) > 0', [search]);
        return rows;
      };
      const countRow = (await matchingRows().count({ count: '*' }).first()) as unknown as { count: string };
      const results = await matchingRows().orderBy('id', 'desc').limit(limit).offset(offset);
      return { count: Number(countRow.count), results };
    },

    async insert(projectId: number, userId: number | null, fields: ExperimentFields): Promise<Experiment> {
      const [row] = await db<Experiment>('experiments')
        .insert({ project_id: projectId, created_by: userId, ...stringifyLists(fields) })
        .returning('*');
      return row!;
    },

    async update(id: number, changes: Partial<ExperimentFields & Pick<Experiment, 'deleted'>>): Promise<Experiment> {
      const [row] = await db<Experiment>('experiments')
        .where({ id })
        .update({ ...stringifyLists(changes), updated_at: db.raw('clock_timestamp()') })
        .returning('*');
      return row!;
    },

    /** Lists the experiments of a flag, oldest first. */
    async listByFlag(projectId: number, flagId: number): Promise<Experiment[]> {
      return liveRows(projectId).where({ flag_id: flagId }).orderBy('id');
    },

    /** Lists the experiments with this holdout, oldest first. */
    async listByHoldout(projectId: number, holdoutId: number): Promise<Experiment[]> {
      return liveRows(projectId).where({ holdout_id: holdoutId }).orderBy('id');
    },
  };
}

/** Stringifies fields, because the driver would write lists as Postgres arrays, not as JSON. */
function stringifyLists<T extends Partial<ExperimentFields>>(fields: T): T {
  const { metrics, metrics_secondary } = fields;
  return {
    ...fields,
    ...(metrics && { metrics: JSON.stringify(metrics) }),
    ...(metrics_secondary && { metrics_secondary: JSON.stringify(metrics_secondary) }),
  };
}
