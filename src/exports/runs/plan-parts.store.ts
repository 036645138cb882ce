/**
 * Parts of plans. Few parts are stored in the plan's JSON; those of a larger plan are rows, so an activity reads only the parts that it
 * stages.
 */
import type { Knex } from '../../platform/db/connection.ts';
import type { Plan, PlannedPart, StoredPlan } from '../domain/plan.ts';
import { batchesOf } from '../domain/slices.ts';
import type { Run } from './run-rows.ts';

/** Limit of parts in JSON. Workers of earlier versions read only JSON; if it has no parts, they fail instead of delivering nothing. */
const MAX_PARTS_IN_JSON = 100;
const STORED_AT_ONCE = 1_000;

type Row = { rows: string; from_time: string | null; from_uuid: string | null };

export function planPartStore(db: Knex) {
  return {
    /** Stores the parts that do not fit into JSON. @returns the plan for the run's row */
    async storeParts(runId: string, { parts, ...plan }: Plan): Promise<StoredPlan> {
      if (parts.length <= MAX_PARTS_IN_JSON) return { ...plan, parts };
      const rows = parts.map(({ rows: count, from }, part) => ({
        run_id: runId,
        part,
        rows: count,
        from_time: from?.intervalTime ?? null,
        from_uuid: from?.uuid ?? null,
      }));
      for (const batch of batchesOf(rows, STORED_AT_ONCE)) await db('batch_export_plan_parts').insert(batch);
      return { ...plan, partCount: parts.length };
    },

    /** The parts `[from, to)` of a run's plan, in order. */
    async listPlannedParts({ id, plan }: Pick<Run, 'id' | 'plan'>, from: number, to: number): Promise<PlannedPart[]> {
      if (plan?.parts) return plan.parts.slice(from, to);
      // One more row is read, because a part ends where the next one begins.
      const rows = (await db('batch_export_plan_parts')
        .where({ run_id: id })
        .whereBetween('part', [from, to])
        .orderBy('part')
        .select('rows', 'from_time', 'from_uuid')) as Row[];
      return rows.slice(0, to - from).map((row, index) => {
        const [begins, ends] = [boundaryOf(row), boundaryOf(rows[index + 1])];
        return { rows: Number(row.rows), ...(begins && { from: begins }), ...(ends && { to: ends }) };
      });
    },

    /** Indexes of the staged parts within `[from, to)`. */
    async listStagedIndexes(runId: string, from: number, to: number): Promise<Set<number>> {
      const rows = (await db('batch_export_parts')
        .where({ run_id: runId })
        .whereBetween('part', [from, to - 1])
        .select('part')) as { part: number }[];
      return new Set(rows.map(({ part }) => part));
    },
  };
}

function boundaryOf(row: Row | undefined): PlannedPart['from'] {
  if (!row || row.from_time === null || row.from_uuid === null) return undefined;
  return { intervalTime: row.from_time, uuid: row.from_uuid };
}
