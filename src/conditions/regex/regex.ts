/** Searches texts for patterns in time linear in the text's length, with RE2. */
import { RE2JS } from 're2js';
import { LAST_CODE_POINT, type CharSet } from './char-sets.ts';
import { PatternBudget } from './pattern-budget.ts';
import { onePassTest } from './one-pass.ts';
import { parseRegex } from './regex-syntax.ts';
import type { Assertion, Regex } from './regex-tree.ts';

const MAX_COMPILED_PATTERNS = 1000;
/** Limit of states times characters, some 300 ms; longer searches are not run. */
const MAX_STEPS = 2_500_000;

/** Steps of a machine for each state and character, and of a one-pass test for each character. */
const STEPS_PER_STATE = 12;
const STEPS_IN_ONE_PASS = 4;
/** Steps of compiling a machine, for each range of characters and each state. */
const STEPS_PER_RANGE = 70;

/** Budget of steps for a search. @throws StepsSpent when none are left */
type Steps = {
  spend(steps: number): void;
  /** Same as `spend`, for each character of the text. */
  spendOn(text: string, stepsPerCharacter?: number): void;
};

/**
 * @param steps the budget that the search takes its steps from
 * @returns undefined if the pattern is invalid or unsupported, or the search would take too long; then not even the negation matches
 * @throws StepsSpent
 */
export type Search = (text: string, steps: Steps) => boolean | undefined;

const compiled = new Map<string, Search>();

export function getSearch(pattern: string): Search {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= MAX_COMPILED_PATTERNS) compiled.clear();
  const search = lazySearch(pattern);
  compiled.set(pattern, search);
  return search;
}

/** Compiles the pattern on first use, because a project may have many patterns that are never used. */
function lazySearch(pattern: string): Search {
  let search: Search | undefined;
  return (text, steps) => {
    if (!search) {
      const created = compileSearch(pattern);
      search = created.search;
      steps.spend(created.compileRanges * STEPS_PER_RANGE);
    }
    return search(text, steps);
  };
}

/** @returns the search, and the cost of compiling it in `compileRanges`: ranges of characters plus states */
function compileSearch(pattern: string): { search: Search; compileRanges: number } {
  const budget = new PatternBudget();
  try {
    const regex = parseRegex(pattern, budget);
    const { states } = regex;
    const test = onePassTest(regex);
    const search = test ? onePassSearch(test) : machineSearch(RE2JS.compile(re2Of(regex)), states);
    return { search, compileRanges: budget.taken + states };
  } catch {
    return { search: () => undefined, compileRanges: budget.taken };
  }
}

function machineSearch(machine: RE2JS, states: number): Search {
  return (text, steps) => {
    if (text.length * states > MAX_STEPS) return undefined;
    steps.spendOn(text, states * STEPS_PER_STATE);
    return machine.test(text);
  };
}

function onePassSearch(test: (text: string) => boolean): Search {
  return (text, steps) => {
    steps.spendOn(text, STEPS_IN_ONE_PASS);
    return test(text);
  };
}

/** Zero-width assertions in RE2's syntax. RE2's word boundaries know only ASCII. */
const ASSERTIONS: Record<Assertion, string> = {
  start: String.raw`\A`,
  end: String.raw`\z`,
  'line-start': '(?m:^)',
  'line-end': '(?m:$)',
  'word-boundary': String.raw`\b`,
  'no-word-boundary': String.raw`\B`,
};

function re2Of(regex: Regex): string {
  if (regex.kind === 'chars') return classOf(regex.set);
  if (regex.kind === 'assertion') return ASSERTIONS[regex.assertion];
  if (regex.kind === 'sequence') return `(?:${regex.items.map(re2Of).join('')})`;
  if (regex.kind === 'either') return `(?:${regex.items.map(re2Of).join('|')})`;
  return `(?:${re2Of(regex.item)}){${regex.min},${regex.max ?? ''}}`;
}

/** Caches the text of classes, because many patterns share the same ones, each of hundreds of ranges. */
const classTexts = new WeakMap<CharSet, string>();

function classOf(set: CharSet): string {
  let text = classTexts.get(set);
  if (text === undefined) classTexts.set(set, (text = writeClass(set)));
  return text;
}

function writeClass(set: CharSet): string {
  if (set.length === 0) return `[^\\x{0}-${hex(LAST_CODE_POINT)}]`;
  return `[${set.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`)).join('')}]`;
}

function hex(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}
