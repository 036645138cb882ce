/** Computes queries that are not saved, while their clients wait. */
import type { Pool } from '../../platform/db/connection.ts';
import type { ParsedQuery } from './parsing/parsed.ts';
import type { QueryResult } from './computing/result.ts';
import { runQuery } from './computing/run.ts';
import { createTurns } from './turns.ts';

/** Queries computed at once; the other connections of the pool are left to insights. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 50;

/** Longest wait for a turn. */
const LONGEST_WAIT_MS = 15_000;

/**
 * @param options `now`: milliseconds since 1970; `signal`: ends the query, also while it waits for its turn
 * @throws as `runQuery`; Unavailable when too many queries of the project wait already, or this one waited too long
 */
export type AnswerQuery = (
  project: { id: number },
  query: ParsedQuery,
  options: { now: number; signal?: AbortSignal },
) => Promise<QueryResult>;

/** @param pool with `QUERY_OPTIONS` */
export function createAnswerQuery(pool: Pool): AnswerQuery {
  const turns = createTurns({ maxConcurrent: MAX_CONCURRENT, maxWaiting: MAX_WAITING, maxWaitMs: LONGEST_WAIT_MS });
  return (project, query, options) =>
    turns.take(project.id, () => runQuery(pool, project, query, options), options.signal);
}
