/** Operators of filters in words, and conversions between their values and the texts of inputs. */

/** Kind of a value's inputs: no input, one text, a text with a value on each line, a number, two bounds, or a date. */
export type ValueKind = 'none' | 'text' | 'list' | 'number' | 'bounds' | 'date';

const WORDS: Readonly<Record<string, readonly [string, ValueKind]>> = {
  exact: ['is', 'list'],
  is_not: ['is not', 'list'],
  is_set: ['is set', 'none'],
  is_not_set: ['is not set', 'none'],
  icontains: ['contains', 'text'],
  not_icontains: ['does not contain', 'text'],
  icontains_multi: ['contains one of', 'list'],
  not_icontains_multi: ['contains none of', 'list'],
  starts_with: ['begins with', 'text'],
  not_starts_with: ['does not begin with', 'text'],
  ends_with: ['ends with', 'text'],
  not_ends_with: ['does not end with', 'text'],
  regex: ['matches the pattern', 'text'],
  not_regex: ['does not match the pattern', 'text'],
  gt: ['is more than', 'number'],
  gte: ['is at least', 'number'],
  lt: ['is less than', 'number'],
  lte: ['is at most', 'number'],
  between: ['is between', 'bounds'],
  not_between: ['is not between', 'bounds'],
  is_date_exact: ['is on', 'date'],
  is_date_before: ['is before', 'date'],
  is_date_after: ['is after', 'date'],
  semver_eq: ['is version', 'text'],
  semver_neq: ['is not version', 'text'],
  semver_gt: ['is newer than version', 'text'],
  semver_gte: ['is at least version', 'text'],
  semver_lt: ['is older than version', 'text'],
  semver_lte: ['is at most version', 'text'],
  semver_tilde: ['is a patch of version', 'text'],
  semver_caret: ['is compatible with version', 'text'],
  semver_wildcard: ['is a version like', 'text'],
};

/** Other names of operators, in flags. */
const ALIASES: Readonly<Record<string, string>> = { min: 'gte', max: 'lte' };
const wordsOf = (operator: string) => WORDS[ALIASES[operator] ?? operator];

export const OPERATORS: readonly string[] = Object.keys(WORDS);

export const DEFAULT_OPERATOR = 'exact';

/** @returns the operator in words; its own name if it is newer than this page */
export const operatorWords = (operator: string): string => wordsOf(operator)?.[0] ?? operator.replaceAll('_', ' ');

export const kindOf = (operator: string): ValueKind => wordsOf(operator)?.[1] ?? 'text';

/** A value as its input shows it. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @returns undefined for no value; the server refuses that where the operator needs one */
export function valueOf(kind: ValueKind, text: string): unknown {
  if (kind === 'none' || text === '') return undefined;
  const lines = text.split('\n');
  if (kind === 'bounds') return lines.slice(0, 2).map(numberIn);
  // The input shows one line, so further lines of an earlier operator's value are dropped.
  if (kind !== 'list') return kind === 'number' ? numberIn(lines[0]!) : lines[0] || undefined;
  // Blank lines are dropped: an empty value would match an empty property, or with “contains” every property.
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.length > 1 ? filled : filled[0];
}

/** @returns the text itself if it is no number: the server then says what is wrong with it */
function numberIn(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}
