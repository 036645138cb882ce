/** Answers queries at once, for those who wait for them. */
import type { Pool } from '../../db/connection.ts';
import { createTurns } from '../insights/turns.ts';
import type { ParsedQuery } from './parsed.ts';
import type { QueryResult } from './result.ts';
import { runQuery } from './run.ts';

/** Insights are computed on the other connections. */
const AT_ONCE = 2;
const MOST_WAITING = 50;

/**
 * @param now milliseconds since 1970
 * @throws as `runQuery`; Unavailable when too much of the project waits already
 */
export type AnswerQuery = (project: { id: number }, query: ParsedQuery, now: number) => Promise<QueryResult>;

/** @param pool with `QUERY_OPTIONS` */
export function createAnswerQuery(pool: Pool): AnswerQuery {
  const turns = createTurns({ atOnce: AT_ONCE, mostWaiting: MOST_WAITING });
  return (project, query, now) => turns.take(project.id, () => runQuery(pool, project, query, { now }));
}
