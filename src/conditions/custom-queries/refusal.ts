/** Errors of a query: the fault and its place. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Place } from './syntax.ts';

/** The field of a batch export that holds the query. */
const QUERY_ATTR = 'hogql_query';

/** @param what the fault, in words that quote little of the query */
export function invalid(what: string, at: Place): InvalidInput {
  return queryRefusal(`Invalid HogQL query: ${what} (${placeText(at)})`);
}

/** The query cannot be read at all. */
export function unreadable(what: string, at: Place): InvalidInput {
  return queryRefusal(`Failed to parse query: ${what} (${placeText(at)})`);
}

/** @param message whole, as the batch exports that users come from say it */
export function queryRefusal(message: string): InvalidInput {
  return new InvalidInput(message, QUERY_ATTR);
}

function placeText({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

/** A piece of the query for a message, so short that the message stays readable. */
export function excerpt(text: string): string {
  const LONGEST = 40;
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
