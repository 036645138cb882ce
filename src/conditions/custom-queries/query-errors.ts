/** Errors in a query, with the fault and its position. */
import { InvalidInput } from '../../platform/errors.ts';
import type { QueryPosition } from './syntax.ts';

/** The field of a batch export that holds the query. */
const QUERY_ATTR = 'hogql_query';

/** @param problem the fault, quoting little of the query */
export function invalidQuery(problem: string, position: QueryPosition): InvalidInput {
  return queryError(`Invalid HogQL query: ${problem} (${positionText(position)})`);
}

/** Error for a query that cannot be parsed. */
export function unparsableQuery(problem: string, position: QueryPosition): InvalidInput {
  return queryError(`Failed to parse query: ${problem} (${positionText(position)})`);
}

/** @param message complete, in upstream's wording */
export function queryError(message: string): InvalidInput {
  return new InvalidInput(message, QUERY_ATTR);
}

function positionText({ line, column }: QueryPosition): string {
  return `line ${line}, column ${column}`;
}

/** Quotes a part of the query in a message, shortened. */
export function excerpt(text: string): string {
  const LONGEST = 40;
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
