/** Errors in a query, with the fault and its position. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Place } from './syntax.ts';

/** The field of a batch export that holds the query. */
const QUERY_ATTR = 'hogql_query';

/** @param what the fault, quoting little of the query */
export function invalid(what: string, at: Place): InvalidInput {
  return queryRefusal(`Invalid HogQL query: ${what} (${placeText(at)})`);
}

/** Error for a query that cannot be parsed. */
export function unreadable(what: string, at: Place): InvalidInput {
  return queryRefusal(`Failed to parse query: ${what} (${placeText(at)})`);
}

/** @param message complete, in upstream's wording */
export function queryRefusal(message: string): InvalidInput {
  return new InvalidInput(message, QUERY_ATTR);
}

function placeText({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

/** Quotes a part of the query in a message, shortened. */
export function excerpt(text: string): string {
  const LONGEST = 40;
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
