/**
 * Compiles a pattern for Postgres' engine, with the same matches as RE2. Generated from the pattern's tree, never from its text, with only
 * sets of characters, alternatives, repetitions and places. Without back-references and captures, Postgres searches with an automaton in
 * time linear in the text; its lookaround, for places, is only one character wide.
 */
import { intersection, LAST_CODE_POINT, type CharSet } from '../regex/char-sets.ts';
import { unsupportedPattern } from '../regex/regex-errors.ts';
import { parseRegex } from '../regex/regex-syntax.ts';
import type { Assertion, Regex } from '../regex/regex-tree.ts';

/** Limit of states, because Postgres builds an automaton in each backend, and fails for very large ones. */
const MAX_STATES = 1500;
/** Postgres' limit of one repetition (DUPMAX). */
const MAX_COUNT = 255;

/** Characters in Postgres' texts, which contain neither NUL nor halves of surrogate pairs. */
const STORABLE_CHARS: CharSet = [
  [1, 0xd7ff],
  [0xe000, LAST_CODE_POINT],
];
/** Word characters as in RE2: ASCII only. */
const WORD = '[0-9A-Za-z_]';

const ASSERTIONS: Record<Assertion, string> = {
  start: String.raw`\A`,
  end: String.raw`\Z`,
  'line-start': String.raw`(?:\A|(?<=\n))`,
  'line-end': String.raw`(?:\Z|(?=\n))`,
  'word-boundary': `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  'no-word-boundary': `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
};

/**
 * @returns the pattern for `~`
 * @throws InvalidInput `invalid_value` for an invalid or unsupported pattern
 */
export function postgresRegex(pattern: string): string {
  const regex = parseRegex(pattern);
  if (regex.states > MAX_STATES) throw unsupportedPattern('A pattern as large as this');
  return toPostgresSyntax(regex);
}

function toPostgresSyntax(regex: Regex): string {
  if (regex.kind === 'chars') return classOf(regex.set);
  if (regex.kind === 'assertion') return ASSERTIONS[regex.assertion];
  if (regex.kind === 'sequence') return `(?:${regex.items.map(toPostgresSyntax).join('')})`;
  if (regex.kind === 'either') return `(?:${regex.items.map(toPostgresSyntax).join('|')})`;
  return repeatItem(toPostgresSyntax(regex.item), regex.min, regex.max);
}

/** Splits a repetition beyond Postgres' limit into several in a row. */
function repeatItem(item: string, min: number, max: number | undefined): string {
  if (min > MAX_COUNT)
    return times(item, MAX_COUNT, MAX_COUNT) + repeatItem(item, min - MAX_COUNT, max && max - MAX_COUNT);
  if (max === undefined || max <= MAX_COUNT) return times(item, min, max);
  return times(item, min, MAX_COUNT) + repeatItem(item, 0, max - MAX_COUNT);
}

function times(item: string, min: number, max: number | undefined): string {
  if (max === undefined && min < 2) return `(?:${item})${min === 0 ? '*' : '+'}`;
  return `(?:${item}){${min},${max ?? ''}}`;
}

/** Caches the text of classes, because one such as `\w` has hundreds of ranges, and patterns use it several times. */
const classTexts = new WeakMap<CharSet, string>();

function classOf(set: CharSet): string {
  let text = classTexts.get(set);
  if (text === undefined) classTexts.set(set, (text = writeClass(intersection(set, STORABLE_CHARS))));
  return text;
}

function writeClass(set: CharSet): string {
  if (set.length === 0) return `[^${rangeOf([1, LAST_CODE_POINT])}]`;
  return `[${set.map(rangeOf).join('')}]`;
}

function rangeOf([first, last]: readonly [number, number]): string {
  return first === last ? escapeCodePoint(first) : `${escapeCodePoint(first)}-${escapeCodePoint(last)}`;
}

function escapeCodePoint(codePoint: number): string {
  return String.raw`\U` + codePoint.toString(16).padStart(8, '0');
}
