/** Limits the time of a reading, and translates errors that the user's own expressions cause. */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import type { Content } from '../../conditions/rows/content.ts';
import { InvalidInput, type Fault } from '../../platform/errors.ts';

/** Time limit for Postgres; if absent, content with users' expressions gets upstream's limit, other content none. */
export type TimeLimit = { seconds?: number | undefined };
const CUSTOM_SECONDS = 900;

/** Field on the wire with the user's expressions; null: there are none. */
function customField({ query, filters, transformations }: Content): string | null {
  if (query !== null) return 'hogql_query';
  if (filters.length > 0) return 'filters';
  return transformations.length > 0 ? 'transformations' : null;
}

/** @returns seconds; 0 for no limit */
function limitOf(content: Content, seconds: number | undefined): number {
  return seconds ?? (customField(content) === null ? 0 : CUSTOM_SECONDS);
}

export function timeoutSetting(content: Content, seconds: number | undefined): Record<string, string> {
  return { statement_timeout: `${limitOf(content, seconds)}s` };
}

/** Turns Postgres errors about a user's own expressions into an error for the user, because a repeat would fail in the same way. */
export function translateReadError(content: Content, seconds: number | undefined, error: unknown): unknown {
  const state = sqlState(error) ?? '';
  const field = customField(content);
  const userFault = (code: string, detail: string) => {
    const fault: Fault = { code, owner: 'you', field };
    return new InvalidInput(detail, field, undefined, { fault });
  };
  const limit = limitOf(content, seconds);
  if (state === SQL_STATE.queryCanceled && limit > 0)
    return userFault('source_read_timeout', `Reading the rows of the data interval took more than ${limit} seconds.`);
  // Class 22: data exceptions.
  if (field === null || !state.startsWith('22')) return error;
  return userFault('expression_failed', `The rows of the data interval cannot be computed (SQLSTATE ${state}).`);
}
