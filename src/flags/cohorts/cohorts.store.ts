/** Rows of cohorts. Writers hold the project's lock (`stores.inTransaction`); instants are ISO text with microseconds. */
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import { containsPattern } from '../../events/table/lookup.ts';
import type { CohortFilters } from './filters.ts';

export type Cohort = {
  id: number;
  projectId: number;
  name: string;
  description: string;
  /** True: its persons are listed. False: the filters select them. */
  isStatic: boolean;
  /** Empty for static cohorts. */
  filters: CohortFilters | Record<string, never>;
  /** Number of persons at the last count; null if they were never counted, or the count took too long. */
  count: number | null;
  /** Why the last count failed. */
  countError: string | null;
  isCounting: boolean;
  lastCalculation: string | null;
  deleted: boolean;
  /** Rises with every change. */
  version: number;
  createdBy: number | null;
  createdAt: string;
};

/** Fields of a cohort that clients may set. */
export type CohortFields = Pick<Cohort, 'name' | 'description' | 'isStatic' | 'filters' | 'deleted'>;

type Row = {
  id: number;
  project_id: number;
  name: string;
  description: string;
  is_static: boolean;
  filters: Cohort['filters'];
  count: string | null;
  count_error: string | null;
  is_counting: boolean;
  last_calculation: string | null;
  deleted: boolean;
  version: number;
  created_by: number | null;
  created_at: string;
};

function cohortFrom(row: Row): Cohort {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    isStatic: row.is_static,
    filters: row.filters,
    count: row.count === null ? null : Number(row.count),
    countError: row.count_error,
    isCounting: row.is_counting,
    lastCalculation: row.last_calculation,
    deleted: row.deleted,
    version: row.version,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

function toRow({ isStatic, filters, ...fields }: Partial<CohortFields>) {
  return {
    ...fields,
    ...(isStatic !== undefined && { is_static: isStatic }),
    ...(filters !== undefined && { filters: JSON.stringify(filters) }),
  };
}

export type CohortQuery = { search?: string | undefined; limit: number; offset: number };

export function cohortStore(db: Knex) {
  const cohortsOfProject = (projectId: number) => db('cohorts').where({ project_id: projectId });
  const columns = ['*', db.raw('coalesce(counting_until > clock_timestamp(), false) as is_counting')];

  return {
    /** Lists the newest first, without deleted cohorts. */
    async list(
      projectId: number,
      { search, limit, offset }: CohortQuery,
    ): Promise<{ count: number; results: Cohort[] }> {
      const matchingRows = () => {
        const rows = cohortsOfProject(projectId).where({ deleted: false });
        return search === undefined ? rows : rows.whereILike('name', containsPattern(search));
      };
      const countRow = (await matchingRows().count({ count: '*' }).first()) as { count: string };
      const rows = (await matchingRows().orderBy('id', 'desc').limit(limit).offset(offset).select(columns)) as Row[];
      return { count: Number(countRow.count), results: rows.map(cohortFrom) };
    },

    /** Returns deleted cohorts too, because they may be restored. @throws NotFound when the project has no such cohort */
    async get(projectId: number, id: number): Promise<Cohort> {
      const row = (await cohortsOfProject(projectId).where({ id }).first(columns)) as Row | undefined;
      if (!row) throw new NotFound();
      return cohortFrom(row);
    },

    async insert(projectId: number, createdBy: number | null, fields: CohortFields): Promise<Cohort> {
      const [row] = (await db('cohorts')
        .insert({ project_id: projectId, created_by: createdBy, ...toRow(fields) })
        .returning(columns)) as Row[];
      return cohortFrom(row!);
    },

    async update(id: number, changes: Partial<CohortFields>): Promise<Cohort> {
      const [row] = (await db('cohorts')
        .where({ id })
        .update({ ...toRow(changes), version: db.raw('version + 1') })
        .returning(columns)) as Row[];
      return cohortFrom(row!);
    },

    /** Marks the cohort as being counted, for this time at most. */
    async startCount(id: number, milliseconds: number): Promise<void> {
      const until = db.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [milliseconds]);
      await db('cohorts').where({ id }).update({ counting_until: until });
    },

    /** Stores a count. If the cohort has a newer version by now, this does nothing: the author of that version starts another count. */
    async endCount(
      { id, version }: Pick<Cohort, 'id' | 'version'>,
      { count, error }: { count: number | null; error: string | null },
    ): Promise<void> {
      await db('cohorts')
        .where({ id, version })
        .update({ count, count_error: error, counting_until: null, last_calculation: db.raw('clock_timestamp()') });
    },

    /** Finds the flags and cohorts whose conditions name this cohort. */
    async findDependents(
      projectId: number,
      id: number,
    ): Promise<{ flags: { id: number; key: string; createdBy: number | null }[]; cohorts: string[] }> {
      // Kept out of the SQL text because knex takes a question mark there for a binding.
      const path = `strict exists($.** ? (@.type == "cohort" && (@.value == ${id} || @.value == "${id}")))`;
      const rowsUsingCohort = (table: string) =>
        db(table).where({ project_id: projectId, deleted: false }).whereRaw('filters @@ ?::jsonpath', [path]);
      const [flags, cohorts] = await Promise.all([
        rowsUsingCohort('feature_flags').orderBy('key').select('id', 'key', { createdBy: 'created_by' }),
        rowsUsingCohort('cohorts').whereNot({ id }).orderBy('id').pluck('name'),
      ]);
      return { flags: flags as { id: number; key: string; createdBy: number | null }[], cohorts: cohorts as string[] };
    },
  };
}
