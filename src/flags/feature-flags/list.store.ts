/** Which flags a list shows, and in which order. */
import type { Knex } from '../../db/connection.ts';

/** Columns that flags may be sorted by. */
export const ORDERS = ['created_at', 'updated_at', 'key', 'name', 'active', 'id'] as const;

export type FlagQuery = {
  /** Part of the key or of the name. */
  search?: string | undefined;
  active?: boolean | undefined;
  /** Only those that give everybody the same answer, and have for long. */
  stale?: boolean | undefined;
  kind?: 'boolean' | 'multivariant' | 'experiment' | 'remote_config' | undefined;
  /** At least one of them. */
  tags?: readonly string[] | undefined;
  evaluationRuntime?: string | undefined;
  createdBy?: number | undefined;
  order: { column: (typeof ORDERS)[number]; descending: boolean };
  limit: number;
  offset: number;
};

/** As in `status.ts`, in SQL; knex takes a bare question mark for a binding. */
const STALE = `active and created_at < now() - interval '30 days'
  and filters @@ 'exists($.groups[*] \\? ((!exists(@.rollout_percentage) || @.rollout_percentage == null
    || @.rollout_percentage == 100) && !exists(@.properties[*])))'
  and (not filters @@ 'exists($.multivariate.variants[*])'
    or filters @@ 'exists($.multivariate.variants[*] \\? (@.rollout_percentage == 100))'
    or filters @@ 'exists($.groups[*] \\? ((!exists(@.rollout_percentage) || @.rollout_percentage == null
      || @.rollout_percentage == 100) && !exists(@.properties[*]) && @.variant like_regex "."))')`;
const VARIANTS = `filters @@ 'exists($.multivariate.variants[*])'`;
const EXPERIMENT = 'exists (select from experiments where flag_id = feature_flags.id and not experiments.deleted)';

/** Surveys make and delete them by themselves. */
const OF_SURVEYS =
  'exists (select from surveys where feature_flags.id in (targeting_flag_id, internal_targeting_flag_id))';

const KINDS = {
  boolean: `not ${VARIANTS}`,
  multivariant: VARIANTS,
  experiment: EXPERIMENT,
  remote_config: 'is_remote_configuration',
};

/** Those of a project that are not deleted, and not a survey's own. */
export async function wantedFlags(
  db: Knex,
  projectId: number,
  query: FlagQuery,
): Promise<{ count: number; rows: unknown[] }> {
  const wanted = () => {
    const rows = db('feature_flags').where({ project_id: projectId, deleted: false }).whereRaw(`not ${OF_SURVEYS}`);
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
  const counted = (await wanted().count({ count: '*' }).first()) as { count: string };
  const order = query.order.descending ? 'desc' : 'asc';
  const rows = await wanted()
    .orderBy([
      { column: query.order.column, order },
      { column: 'id', order },
    ])
    .limit(query.limit)
    .offset(query.offset);
  return { count: Number(counted.count), rows };
}
