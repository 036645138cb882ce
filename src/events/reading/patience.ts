/** How long a reading may take, and whose fault it is when it takes longer or cannot be computed. */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import type { Content } from '../../conditions/rows/content.ts';
import { InvalidInput, type Fault } from '../../platform/errors.ts';

/** How long Postgres may take; without it, content that users wrote gets as long as upstream gives it. */
export type Patience = { seconds?: number | undefined };
const CUSTOM_SECONDS = 900;

/** The field of the wire whose expressions users wrote; null: there are none. */
function writtenField({ query, filters, transformations }: Content): string | null {
  if (query !== null) return 'hogql_query';
  if (filters.length > 0) return 'filters';
  return transformations.length > 0 ? 'transformations' : null;
}

/** 0: none. */
function limitOf(content: Content, seconds: number | undefined): number {
  return seconds ?? (writtenField(content) === null ? 0 : CUSTOM_SECONDS);
}

export function timeoutSetting(content: Content, seconds: number | undefined): Record<string, string> {
  return { statement_timeout: `${limitOf(content, seconds)}s` };
}

/** Errors of Postgres about a user's own expressions are the user's to mend: a repeat would end in the same. */
export function blaming(content: Content, seconds: number | undefined, error: unknown): unknown {
  const state = sqlState(error) ?? '';
  const field = writtenField(content);
  const blamed = (code: string, detail: string) => {
    const fault: Fault = { code, owner: 'you', field };
    return new InvalidInput(detail, field, undefined, { fault });
  };
  const limit = limitOf(content, seconds);
  if (state === SQL_STATE.queryCanceled && limit > 0)
    return blamed('source_read_timeout', `Reading the rows of the data interval took more than ${limit} seconds.`);
  // Class 22: data exceptions.
  if (field === null || !state.startsWith('22')) return error;
  return blamed('expression_failed', `The rows of the data interval cannot be computed (SQLSTATE ${state}).`);
}
