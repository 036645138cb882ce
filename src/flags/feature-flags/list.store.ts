/** Selects and sorts the flags of a list. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Visible } from '../../platform/http/access.ts';
import { whereVisible } from '../../people/access/visible.store.ts';

/** Columns that flags may be sorted by. */
export const ORDERS = ['created_at', 'updated_at', 'key', 'name', 'active', 'id'] as const;

export type FlagQuery = {
  /** Only flags that the caller may see. */
  visible: Visible;
  /** Part of the key or of the name. */
  search?: string | undefined;
  active?: boolean | undefined;
  /** Only flags that have had the same answer for everybody for a long time. */
  stale?: boolean | undefined;
  kind?: 'boolean' | 'multivariant' | 'experiment' | 'remote_config' | undefined;
  /** Only flags with at least one of these tags. */
  tags?: readonly string[] | undefined;
  evaluationRuntime?: string | undefined;
  createdBy?: number | undefined;
  order: { column: (typeof ORDERS)[number]; descending: boolean };
  limit: number;
  offset: number;
};

const VARIANTS = `filters @@ 'exists($.multivariate.variants[*])'`;

/** A condition set without conditions at 100 %. Question marks are escaped, because knex reads them as bindings. */
const MATCHES_EVERYBODY = String.raw`\? ((!exists(@.rollout_percentage) || @.rollout_percentage == null || @.rollout_percentage == 100)
  && !exists(@.properties[*]))`;

/** Whether a flag has the same answer for everybody; the same rule as in `status.ts`. */
const SAME_FOR_EVERYBODY = String.raw`not filters @@ 'exists($ \? (@.feature_enrollment == true)) || exists($.holdout.id)
    || exists($.super_groups[*] \? (@ != null)) || exists($.holdout_groups[*] \? (@ != null))'
  and case when filters @@ '$.early_exit == true' then filters @@ 'exists($.groups[0] ${MATCHES_EVERYBODY})'
    else filters @@ 'exists($.groups[*] ${MATCHES_EVERYBODY})' end
  and (not ${VARIANTS} or (
    select count(distinct key) = 1 and count(key) = count(*)
    from (
      select coalesce(nullif(condition_set ->> 'variant', ''), whole #>> '{}') as key, coalesce(bool_or(
        jsonb_path_exists(condition_set, '$ ${MATCHES_EVERYBODY}')) over (order by place rows between unbounded preceding and 1 preceding
      ), false) as unreached
      from jsonb_array_elements(filters -> 'groups') with ordinality as sets (condition_set, place),
        jsonb_path_query_first(filters, '$.multivariate.variants[*] \? (@.rollout_percentage == 100).key') as whole
    ) as outcomes
    where not unreached))`;
const STALE = `active and created_at < now() - interval '30 days' and ${SAME_FOR_EVERYBODY}`;
const EXPERIMENT = 'exists (select from experiments where flag_id = feature_flags.id and not experiments.deleted)';

/** Flags that surveys own, which nobody should edit directly. */
const OWNED_BY_SURVEY =
  'exists (select from surveys where feature_flags.id in (targeting_flag_id, internal_targeting_flag_id))';

const KINDS = {
  boolean: `not ${VARIANTS}`,
  multivariant: VARIANTS,
  experiment: EXPERIMENT,
  remote_config: 'is_remote_configuration',
};

/** Selects flags of a project, without deleted ones and those that belong to a survey. */
export async function selectFlags(
  db: Knex,
  projectId: number,
  query: FlagQuery,
): Promise<{ count: number; rows: unknown[] }> {
  const matchingRows = () => {
    const rows = db('feature_flags')
      .where({ project_id: projectId, deleted: false })
      .whereRaw(`not ${OWNED_BY_SURVEY}`);
    whereVisible(rows, query.visible);
    if (query.search !== undefined) {
      const part = `%${query.search.replace(/[\\%_]/g, String.raw`\$&`)}%`;
      rows.where((either) => void either.whereILike('key', part).orWhereILike('name', part));
    }
    if (query.active !== undefined) rows.where({ active: query.active });
    if (query.stale) rows.whereRaw(STALE);
    if (query.kind) rows.whereRaw(KINDS[query.kind]);
    if (query.tags) rows.whereRaw('tags && ?::text[]', [[...query.tags]]);
    if (query.evaluationRuntime !== undefined) rows.where({ evaluation_runtime: query.evaluationRuntime });
    if (query.createdBy !== undefined) rows.where({ created_by: query.createdBy });
    return rows;
  };
  const countRow = (await matchingRows().count({ count: '*' }).first()) as { count: string };
  const order = query.order.descending ? 'desc' : 'asc';
  const rows = await matchingRows()
    .orderBy([
      { column: query.order.column, order },
      { column: 'id', order },
    ])
    .limit(query.limit)
    .offset(query.offset);
  return { count: Number(countRow.count), rows };
}
