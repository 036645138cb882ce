/**
 * Parses patterns in upstream's syntax (Rust's regex, with Unicode) to a tree whose leaves are sets of characters. Flags and classes are
 * resolved, so code that compiles the tree for an engine need not know them. Constructs that cannot be matched in linear time are refused
 * by name.
 */
import { charsOf, complement, EMPTY_SET, singleChar, type CharSet } from './char-sets.ts';
import { PatternReader } from './pattern-reader.ts';
import { PatternBudget } from './pattern-budget.ts';
import { readClass } from './regex-classes.ts';
import { invalid, unsupportedPattern, unsupportedConstruct } from './regex-errors.ts';
import { readEscapedChar, readNamedClass, readUnicodeClass } from './regex-escapes.ts';
import {
  charsNode,
  eitherOf,
  assertionNode,
  repeatOf,
  sequenceOf,
  type Bounds,
  type Assertion,
  type Regex,
} from './regex-tree.ts';

type Flags = {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly extended: boolean;
};

const ANY = complement(EMPTY_SET);
const ANY_OF_LINE = complement(charsOf('\n'));

const NO_FLAGS: Flags = { ignoreCase: false, multiLine: false, dotAll: false, extended: false };
const FLAG_NAMES: Record<string, keyof Flags> = { i: 'ignoreCase', m: 'multiLine', s: 'dotAll', x: 'extended' };
/** Flags without an effect: Unicode is always on, and greediness does not change whether there is a match. */
const IGNORED_FLAGS = 'uU';

/** Same limit as RE2, because beyond it a pattern of a few characters would need millions of states. */
const MAX_REPEAT = 1000;
const MAX_STATES = 10_000;
/** Limit of nested groups, and of nested repetitions; code that walks the tree recurses no deeper than their sum. */
const MAX_DEPTH = 200;
/** UTF-16 units. */
const MAX_PATTERN = 10_000;

/** Starts of groups that cannot be matched in linear time, longest first. */
const REFUSED_GROUPS: readonly (readonly [start: string, name: string])[] = [
  ['?<=', 'lookbehind'],
  ['?<!', 'lookbehind'],
  ['?=', 'lookahead'],
  ['?!', 'lookahead'],
  ['?>', 'atomic group'],
  ['?(', 'condition'],
  ['?P=', 'back-reference'],
  ['?P>', 'subroutine call'],
  ['?&', 'subroutine call'],
  ['?R)', 'recursion'],
];
const REFUSED_ESCAPES: Record<string, string> = {
  k: 'back-reference',
  g: 'subroutine call',
  K: 'reset of the match',
  G: 'anchor',
};

/**
 * @param sharedBudget the budget that all patterns of a request share
 * @throws InvalidInput `invalid_value`, naming the construct
 */
export function parseRegex(pattern: string, sharedBudget?: PatternBudget): Regex {
  // tooth: pattern-length
  if (pattern.length > MAX_PATTERN) throw unsupportedPattern(`A pattern of more than ${MAX_PATTERN} characters`);
  const budget = new PatternBudget({ parent: sharedBudget });
  budget.take(pattern.length);
  const reader = new PatternReader(pattern, budget);
  const regex = readAlternatives(reader, NO_FLAGS, 0);
  if (!reader.atEnd) throw invalid('an unopened group `)`');
  if (regex.states > MAX_STATES) throw unsupportedPattern('A pattern as large as this');
  return regex;
}

function readAlternatives(reader: PatternReader, outer: Flags, depth: number): Regex {
  if (depth > MAX_DEPTH) throw unsupportedPattern('Nesting as deep as this');
  let flags = outer;
  const branches: Regex[][] = [[]];
  while (!reader.atEnd && reader.peek !== ')') {
    if (flags.extended && reader.skipSpaceAndComments()) continue;
    if (reader.take('|')) {
      branches.push([]);
      continue;
    }
    const switched = readFlags(reader, flags);
    if (switched) {
      flags = switched;
      continue;
    }
    branches.at(-1)!.push(readRepeats(reader, readAtom(reader, flags, depth), flags));
  }
  return eitherOf(branches.map(sequenceOf));
}

/** Parses flags for the rest of the group, `(?i)`, and comments, `(?#…)`; undefined for anything else. */
function readFlags(reader: PatternReader, flags: Flags): Flags | undefined {
  if (reader.take('(?#')) {
    reader.takeUntil(')');
    return flags;
  }
  const found = reader.takeMatch(/\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?\)/y);
  if (!found || REFUSED_GROUPS.some(([start]) => found[0].slice(1) === start)) {
    if (found) throw unsupportedConstruct('recursion', found[0]);
    return undefined;
  }
  if (!found[1] && !found[2]) throw invalid('a group without flags `(?)`');
  return changeFlags(flags, found[1] ?? '', found[2] ?? '');
}

function changeFlags(flags: Flags, enabled: string, disabled: string): Flags {
  const result = { ...flags };
  for (const [letters, value] of [
    [enabled, true],
    [disabled, false],
  ] as const) {
    for (const letter of letters) {
      const name = FLAG_NAMES[letter];
      if (name) result[name] = value;
      else if (!IGNORED_FLAGS.includes(letter)) throw invalid(`an unknown flag \`${letter}\``);
    }
  }
  return result;
}

function readAtom(reader: PatternReader, flags: Flags, depth: number): Regex {
  if (reader.peek === '(') return readGroup(reader, flags, depth);
  if (reader.peek === '\\') return readEscape(reader, flags);
  if (reader.peek === '[') return charsNode(readClass(reader, flags.ignoreCase));
  const char = reader.next();
  if (char === '.') return charsNode(flags.dotAll ? ANY : ANY_OF_LINE);
  if (char === '^') return assertionNode(flags.multiLine ? 'line-start' : 'start');
  if (char === '$') return assertionNode(flags.multiLine ? 'line-end' : 'end');
  if ('*+?'.includes(char)) throw invalid(`nothing to repeat before \`${char}\``);
  return chars(reader, singleChar(char.codePointAt(0)!), flags);
}

function chars(reader: PatternReader, set: CharSet, { ignoreCase }: Flags): Regex {
  return charsNode(ignoreCase ? reader.withAnyCase(set) : set);
}

function readGroup(reader: PatternReader, flags: Flags, depth: number): Regex {
  reader.next();
  const found = REFUSED_GROUPS.find(([start]) => reader.startsWith(start));
  if (found) throw unsupportedConstruct(found[1], `(${found[0]}`);
  const inner = reader.takeMatch(/\?([a-zA-Z]*)(?:-([a-zA-Z]+))?:/y);
  const named = !inner && reader.takeMatch(/\?P?<[A-Za-z_][\w.[\]]*>/y);
  if (!inner && !named && reader.peek === '?') throw invalid('an unknown kind of group `(?`');
  const group = readAlternatives(reader, inner ? changeFlags(flags, inner[1] ?? '', inner[2] ?? '') : flags, depth + 1);
  if (!reader.take(')')) throw invalid('an unclosed group `(`');
  return group;
}

function readEscape(reader: PatternReader, flags: Flags): Regex {
  reader.next();
  if (reader.atEnd) throw invalid('a backslash at the end');
  const letter = reader.peek;
  if (/[1-9]/.test(letter)) throw unsupportedConstruct('back-reference', `\\${letter}`);
  if (Object.hasOwn(REFUSED_ESCAPES, letter)) throw unsupportedConstruct(REFUSED_ESCAPES[letter]!, `\\${letter}`);
  const assertion = ASSERTIONS[letter];
  if (assertion) {
    reader.next();
    return assertionNode(assertion);
  }
  // `\Z` matches at the end, or before a final line feed, which is consumed, so no lookahead is needed.
  if (reader.take('Z')) return optionalLineFeedAtEnd();
  const named = readNamedClass(reader) ?? readUnicodeClass(reader);
  return chars(reader, named ?? singleChar(readEscapedChar(reader)), flags);
}

const ASSERTIONS: Record<string, Assertion> = { A: 'start', z: 'end', b: 'word-boundary', B: 'no-word-boundary' };

function optionalLineFeedAtEnd(): Regex {
  return sequenceOf([repeatOf(charsNode(charsOf('\n')), { min: 0, max: 1 }), assertionNode('end')]);
}

function readRepeats(reader: PatternReader, atom: Regex, flags: Flags): Regex {
  let regex = atom;
  for (;;) {
    if (flags.extended) reader.skipSpaceAndComments();
    const bounds = readBounds(reader);
    if (!bounds) return regex;
    if (reader.peek === '+') throw unsupportedPattern('A possessive quantifier (`+` after a quantifier)');
    reader.take('?');
    regex = repeatOf(regex, bounds);
    // tooth: pattern-depth
    if (regex.depth > MAX_DEPTH) throw unsupportedPattern('Nesting as deep as this');
    if (regex.repeats > MAX_REPEAT) throw unsupportedPattern(`Repeating more than ${MAX_REPEAT} times`);
  }
}

function readBounds(reader: PatternReader): Bounds | undefined {
  if (reader.take('*')) return { min: 0, max: undefined };
  if (reader.take('+')) return { min: 1, max: undefined };
  if (reader.take('?')) return { min: 0, max: 1 };
  const found = reader.takeMatch(/\{\s*(?:(\d+)\s*)?(?:(,)\s*(?:(\d+)\s*)?)?\}/y);
  if (!found) return undefined;
  const [, from = '', comma, to = ''] = found;
  if (from === '' && to === '') throw invalid('a repetition without a number `{}`');
  const min = Number(from);
  const max = comma === undefined ? min : to === '' ? undefined : Number(to);
  if (max !== undefined && max < min) throw invalid('a repetition that ends below its start');
  return { min, max };
}
