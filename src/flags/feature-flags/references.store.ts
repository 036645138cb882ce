/** Finds flags and cohorts by the references in conditions. */
import type { Knex } from '../../platform/db/connection.ts';

/** A flag with the ids of the flags that it depends on. */
export type Dependency = {
  id: number;
  key: string;
  createdBy: number | null;
  active: boolean;
  variants: string[];
  dependsOn: number[];
};

/** A cohort that conditions reference, directly or through other cohorts. */
export type CohortInUse = { id: number; name: string; behavioural: boolean };

/** The expression of the index `feature_flags_dependencies`. The question mark is escaped, because knex reads it as a binding. */
const DEPENDENCIES = String.raw`jsonb_path_query_array(filters, '$.groups[*].properties[*] \? (@.type == "flag").key')`;
const VARIANTS = `jsonb_path_query_array(filters, '$.multivariate.variants[*].key')`;
const DEPENDS_ON_VARIANT = String.raw`jsonb_path_exists(filters,
  '$.groups[*].properties[*] \? (@.type == "flag" && @.key == $id && @.value == $variants[*])', ?::jsonb)`;

const FLAGS_WITH_DEPENDENCIES = `
  with recursive reached (id) as (
    select id from feature_flags where project_id = :projectId and id = any (:ids) and not deleted
    union
    select target.id
    from reached join feature_flags using (id)
    cross join lateral jsonb_array_elements_text(${DEPENDENCIES}) as dependency
    join feature_flags target on target.project_id = :projectId and not target.deleted
      and target.id = case when dependency ~ '^[0-9]{1,9}$' then dependency::int end
  )
  select id, key, created_by as "createdBy", active, ${VARIANTS} as variants, ${DEPENDENCIES} as "dependsOn"
  from reached join feature_flags using (id)`;

const COHORTS_WITH_REFERENCES = String.raw`
  with recursive used (id) as (
    select id from cohorts where project_id = :projectId and id = any (:ids) and not deleted
    union
    select part.id
    from used join cohorts using (id)
    cross join lateral jsonb_path_query(filters, 'strict $.** \? (@.type == "cohort").value') as value
    join cohorts part on part.project_id = :projectId and not part.deleted
      and part.id = case when value #>> '{}' ~ '^[0-9]{1,9}$' then (value #>> '{}')::int end
  )
  select id, name, filters @@ 'strict exists($.** \? (@.type == "behavioral"))' as behavioural
  from used join cohorts using (id)`;

export function referenceStore(db: Knex) {
  return {
    /** Finds these flags and all flags that they depend on, without deleted flags and those of other projects. */
    async findFlagsWithDependencies(projectId: number, ids: readonly number[]): Promise<Dependency[]> {
      const { rows } = await db.raw<{ rows: (Omit<Dependency, 'dependsOn'> & { dependsOn: string[] })[] }>(
        FLAGS_WITH_DEPENDENCIES,
        {
          projectId,
          ids: [...ids],
        },
      );
      return rows.map((row) => ({ ...row, dependsOn: row.dependsOn.map(Number) }));
    },

    /** Finds the active flags that depend on this flag, or only on one of its `variants`, sorted by key. */
    async findDependents(
      projectId: number,
      id: number,
      variants?: readonly string[],
    ): Promise<{ id: number; key: string; createdBy: number | null }[]> {
      const rows = db('feature_flags')
        .where({ project_id: projectId, deleted: false, active: true })
        .whereNot({ id })
        .whereRaw(`${DEPENDENCIES} @> jsonb_build_array(?::text)`, [String(id)]);
      if (variants) rows.whereRaw(DEPENDS_ON_VARIANT, [JSON.stringify({ id: String(id), variants })]);
      return rows
        .orderBy('key')
        .select<{ id: number; key: string; createdBy: number | null }[]>('id', 'key', { createdBy: 'created_by' });
    },

    /** Finds these cohorts and all cohorts that they reference. */
    async findCohortsWithReferences(projectId: number, ids: readonly number[]): Promise<CohortInUse[]> {
      const { rows } = await db.raw<{ rows: CohortInUse[] }>(COHORTS_WITH_REFERENCES, { projectId, ids: [...ids] });
      return rows;
    },
  };
}
