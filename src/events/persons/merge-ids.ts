/** Distinct ids by which persons may be merged. Clients send "null" or "undefined" by mistake, which would merge everyone into one person. */
import { identifiesNobody } from '../cookieless/ids.ts';
import { cut } from '../../platform/wire/cut.ts';

/** Words that are refused in upper and lower case alike. */
const WORDS = 'anonymous guest distinctid distinct_id id not_authenticated email undefined true false'.split(' ');
const EXACT_WORDS = ['[object Object]', 'NaN', 'None', 'none', 'null', '0'];

const MISTAKEN_IDS = new Set(WORDS.flatMap(inQuotes));
const EXACT_MISTAKES = new Set(EXACT_WORDS.flatMap(inQuotes));
/** Limit in code points, at which capture cuts the distinct ids of events. */
export const MAX_LENGTH = 200;

function inQuotes(word: string): string[] {
  return [word, `'${word}'`, `"${word}"`];
}

/** @returns whether the id can belong to a single person */
export function isMergeable(distinctId: string): boolean {
  const id = distinctId.trim();
  // tooth: cookieless-merges
  if (identifiesNobody(id)) return false;
  return id !== '' && !EXACT_MISTAKES.has(id) && !MISTAKEN_IDS.has(id.toLowerCase());
}

/** @returns the id as an event would have it; undefined for objects and arrays, which cannot be ids */
export function readMergeId(value: unknown): string | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? cut(String(value), MAX_LENGTH).toWellFormed() : undefined;
}
