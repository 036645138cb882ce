/** SQL that selects a query's events and their persons. Values from clients appear as escaped literals. */
import { escapeLiteral } from 'pg';
import { isRetainedSql } from '../../../events/table/retained-from.ts';
import type { Dates } from '../dates/intervals.ts';
import { filterTreeSql, type FilterContext } from '../parsing/filter-tree.ts';
import type { Entity, FilterTree } from '../parsing/parsed.ts';

/**
 * The first parameters of every statement: the project, and the half-open range. Capture refuses timestamps more than a day ahead,
 * so no event of the range was stored more than a day before it. The index is by the time of storing.
 */
export const IN_RANGE = `project_id = $1 and ${isRetainedSql('$1')} and interval_time > $2::timestamptz - interval '1 day'
  and "timestamp" >= $2 and "timestamp" < $3`;

export function rangeValues(projectId: number, { from, to }: Dates): unknown[] {
  return [projectId, from, to];
}

/**
 * The present person of an event, for rows selected from `WITH_PERSON_IDS`. The event's own person may have been merged since; then the person of
 * the distinct id counts. If the distinct id has none, because the person was deleted, the event's own counts.
 */
export const PERSON_ID = 'coalesce(known.person_id, matching.person_id)';
export const WITH_PERSON_IDS =
  'matching left join person_distinct_ids as known on known.project_id = $1 and known.distinct_id = matching.distinct_id';

/** @returns an SQL condition on rows of `events` */
export function entitySql({ event, filters }: Entity, context: FilterContext): string {
  const hasName = event === null ? 'true' : `event = ${escapeLiteral(event)}`;
  return `(${hasName} and ${filterTreeSql(filters, context)})`;
}

/** @returns an SQL condition on events that match `filters` and have the name of any entity; a name of null matches every event */
export function namedSql(entities: readonly Entity[], filters: FilterTree, context: FilterContext): string {
  const names = entities.map(({ event }) => event);
  const all = filterTreeSql(filters, context);
  if (names.includes(null)) return all;
  const listed = [...new Set(names)].map((name) => escapeLiteral(name!));
  return `event = any (array[${listed.join(', ')}]) and ${all}`;
}
