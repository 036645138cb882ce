/** Which dashboards a list shows, and in which order. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Visible } from '../../platform/http/access.ts';
import { whereVisible } from '../../people/access/visible.store.ts';
import { resembles } from './trigrams.ts';

/** Whether the dashboard has the searched text, or only similar text. */
export const SEARCH_MATCHES = ['exact', 'similar'] as const;
export type SearchMatch = (typeof SEARCH_MATCHES)[number];

export type DashboardQuery = {
  visible: Visible;
  /** Text in the name, the description or a tag. */
  search?: string | undefined;
  /** The dashboard has at least one of these. */
  tags?: readonly string[] | undefined;
  /** Absent: all modes but unlisted. */
  creationMode?: string | undefined;
  /** Leaves out dashboards whose name shows that a program made them. */
  excludeGenerated?: boolean | undefined;
  limit: number;
  offset: number;
};

type Page = { count: number; rows: unknown[] };

/** Lists pinned dashboards first, then by name, unnamed ones last; a search puts exact matches before similar ones. */
export async function listDashboards(
  db: Knex,
  projectId: number,
  query: DashboardQuery,
  columns: string,
): Promise<Page> {
  const { search, limit, offset } = query;
  const matchingRows = visibleMatches(db, projectId, query);
  if (search !== undefined) return findSimilar(db, matchingRows, search, query, columns);
  const countRow = (await matchingRows.clone().count({ count: '*' }).first()) as { count: string };
  const rows = await matchingRows.clone().select(db.raw(columns)).orderByRaw(ORDER).limit(limit).offset(offset);
  return { count: Number(countRow.count), rows };
}

const ORDER = 'pinned desc, name asc nulls last, id';

function visibleMatches(db: Knex, projectId: number, query: DashboardQuery): Knex.QueryBuilder {
  const rows = db('dashboards').where({ project_id: projectId, deleted: false });
  whereVisible(rows, query.visible, { id: 'dashboards.id', createdBy: 'dashboards.created_by' });
  if (query.creationMode === undefined) rows.whereNot({ creation_mode: 'unlisted' });
  else rows.where({ creation_mode: query.creationMode });
  if (query.excludeGenerated) rows.whereRaw(`(name like 'Generated Dashboard%') is not true`);
  if (query.tags) rows.whereRaw('tags && ?::text[]', [[...query.tags]]);
  return rows;
}

type Candidate = { id: number; name: string | null; contains: boolean };

/** Searches for the text, and in names for similar text. Names are compared here, not in Postgres; whole rows are read only for the page. */
async function findSimilar(
  db: Knex,
  matching: Knex.QueryBuilder,
  search: string,
  { limit, offset }: DashboardQuery,
  columns: string,
): Promise<Page> {
  const pattern = `%${search.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  const contains = db.raw(`coalesce(${CONTAINS}, false) as contains`, { part: pattern });
  const candidates = (await matching.clone().select('id', 'name', contains).orderByRaw(ORDER)) as Candidate[];
  const exact = candidates.filter((candidate) => candidate.contains);
  const similar = candidates.filter((candidate) => !candidate.contains && resembles(search, candidate.name ?? ''));
  const pageCandidates = [...exact, ...similar].slice(offset, offset + limit);
  const ids = pageCandidates.map(({ id }) => id);
  const rows = (await db('dashboards').whereIn('id', ids).select(db.raw(columns))) as { id: number }[];
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    count: exact.length + similar.length,
    rows: pageCandidates.flatMap(({ id, contains: isExact }) => {
      const row = byId.get(id);
      return row ? [{ ...row, search_match_type: isExact ? 'exact' : 'similar' }] : [];
    }),
  };
}

const CONTAINS = `name ilike :part or description ilike :part
  or exists (select from unnest(tags) as tag where tag ilike :part)`;
