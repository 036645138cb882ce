/** Whether a pattern is found in a text, in time linear in the text's length (RE2). */
import { RE2JS } from 're2js';
import { LAST, type CharSet } from './char-sets.ts';
import type { Readings } from './readings.ts';
import { onePassTest } from './one-pass.ts';
import { parseRegex, statesOf, type Place, type Regex } from './regex-syntax.ts';

const COMPILED_PATTERNS = 1000;
/** States times characters: a search that may take more, some 300 ms, finds nothing. */
const MAX_STEPS = 2_500_000;

/** Of a machine for each of its states and each character, and of a test in one pass for each character. */
const STEPS_PER_STATE = 12;
const STEPS_IN_ONE_PASS = 4;

/**
 * @param readings whose steps the search takes
 * @returns undefined when the pattern is invalid or not supported, or the search would be too long: not even its negation matches
 * @throws StepsSpent
 */
export type Search = (text: string, readings: Readings) => boolean | undefined;

const compiled = new Map<string, Search>();

export function searchFor(pattern: string): Search {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= COMPILED_PATTERNS) compiled.clear();
  const search = compile(pattern);
  compiled.set(pattern, search);
  return search;
}

function compile(pattern: string): Search {
  try {
    const regex = parseRegex(pattern);
    const test = onePassTest(regex);
    if (test) return inOnePass(test);
    const machine = RE2JS.compile(re2Of(regex));
    const states = statesOf(regex);
    return (text, readings) => {
      if (text.length * states > MAX_STEPS) return undefined;
      readings.spendOn(text, states * STEPS_PER_STATE);
      return machine.test(text);
    };
  } catch {
    return () => undefined;
  }
}

function inOnePass(test: (text: string) => boolean): Search {
  return (text, readings) => {
    readings.spendOn(text, STEPS_IN_ONE_PASS);
    return test(text);
  };
}

/** RE2 knows word boundaries of ASCII words only. */
const PLACES: Record<Place, string> = {
  start: String.raw`\A`,
  end: String.raw`\z`,
  'line-start': '(?m:^)',
  'line-end': '(?m:$)',
  'word-boundary': String.raw`\b`,
  'no-word-boundary': String.raw`\B`,
};

function re2Of(regex: Regex): string {
  if (regex.kind === 'chars') return classOf(regex.set);
  if (regex.kind === 'place') return PLACES[regex.place];
  if (regex.kind === 'sequence') return `(?:${regex.items.map(re2Of).join('')})`;
  if (regex.kind === 'either') return `(?:${regex.items.map(re2Of).join('|')})`;
  return `(?:${re2Of(regex.item)}){${regex.min},${regex.max ?? ''}}`;
}

function classOf(set: CharSet): string {
  if (set.length === 0) return `[^\\x{0}-${hex(LAST)}]`;
  return `[${set.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`)).join('')}]`;
}

function hex(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}
