/**
 * Patterns as upstream's server reads them (Rust's regex syntax, Unicode on), as a tree whose leaves are sets of characters: flags
 * and classes are resolved, so whoever writes the tree for an engine needs to know none of them. What cannot be matched in
 * linear time is refused by name.
 */
import { charsOf, complement, NOTHING, single, type CharSet } from './char-sets.ts';
import { PatternReader } from './pattern-reader.ts';
import { PatternRoom } from './pattern-room.ts';
import { readClass } from './regex-classes.ts';
import { invalid, refused, refusedConstruct } from './regex-errors.ts';
import { readEscapedChar, readNamedClass, readUnicodeClass } from './regex-escapes.ts';

export type Place = 'start' | 'end' | 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary';

export type Regex =
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'sequence'; readonly items: readonly Regex[] }
  | { readonly kind: 'either'; readonly items: readonly Regex[] }
  | { readonly kind: 'repeat'; readonly item: Regex; readonly min: number; readonly max: number | undefined };

type Flags = {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly extended: boolean;
};

const ANY = complement(NOTHING);
const ANY_OF_LINE = complement(charsOf('\n'));

const NO_FLAGS: Flags = { ignoreCase: false, multiLine: false, dotAll: false, extended: false };
const FLAG_NAMES: Record<string, keyof Flags> = { i: 'ignoreCase', m: 'multiLine', s: 'dotAll', x: 'extended' };
/** Without a meaning here: Unicode is always on, and whether a repetition is greedy does not change whether there is a match. */
const SILENT_FLAGS = 'uU';

/** As RE2: beyond it, a pattern of a few characters would make a machine of millions of states. */
const MAX_REPEAT = 1000;
const MAX_STATES = 10_000;
const MAX_DEPTH = 200;
/** UTF-16 units. */
const LONGEST_PATTERN = 10_000;

/** Starts of groups that need more than a linear scan, longest first. */
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
 * @param together of all patterns that are read at once
 * @throws InvalidInput `invalid_value`, naming the construct
 */
export function parseRegex(pattern: string, together?: PatternRoom): Regex {
  // tooth: pattern-length
  if (pattern.length > LONGEST_PATTERN) throw refused(`A pattern of more than ${LONGEST_PATTERN} characters`);
  const room = new PatternRoom({ around: together });
  room.take(pattern.length);
  const reader = new PatternReader(pattern, room);
  const regex = readAlternatives(reader, NO_FLAGS, 0);
  together?.take(room.taken);
  if (!reader.atEnd) throw invalid('an unopened group `)`');
  if (statesOf(regex) > MAX_STATES) throw refused('A pattern as large as this');
  return regex;
}

function readAlternatives(reader: PatternReader, outer: Flags, depth: number): Regex {
  if (depth > MAX_DEPTH) throw refused('Nesting as deep as this');
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
  const items = branches.map((branch): Regex =>
    branch.length === 1 ? branch[0]! : { kind: 'sequence', items: branch },
  );
  return items.length === 1 ? items[0]! : { kind: 'either', items };
}

/** `(?i)`, for the rest of the group, and comments: `(?#…)`. Undefined when something else stands here. */
function readFlags(reader: PatternReader, flags: Flags): Flags | undefined {
  if (reader.take('(?#')) {
    reader.takeUntil(')');
    return flags;
  }
  const found = reader.takeMatch(/\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?\)/y);
  if (!found || REFUSED_GROUPS.some(([start]) => found[0].slice(1) === start)) {
    if (found) throw refusedConstruct('recursion', found[0]);
    return undefined;
  }
  if (!found[1] && !found[2]) throw invalid('a group without flags `(?)`');
  return changed(flags, found[1] ?? '', found[2] ?? '');
}

function changed(flags: Flags, on: string, off: string): Flags {
  const result = { ...flags };
  for (const [letters, value] of [
    [on, true],
    [off, false],
  ] as const) {
    for (const letter of letters) {
      const name = FLAG_NAMES[letter];
      if (name) result[name] = value;
      else if (!SILENT_FLAGS.includes(letter)) throw invalid(`an unknown flag \`${letter}\``);
    }
  }
  return result;
}

function readAtom(reader: PatternReader, flags: Flags, depth: number): Regex {
  if (reader.peek === '(') return readGroup(reader, flags, depth);
  if (reader.peek === '\\') return readEscape(reader, flags);
  if (reader.peek === '[') return { kind: 'chars', set: readClass(reader, flags.ignoreCase) };
  const char = reader.next();
  if (char === '.') return { kind: 'chars', set: flags.dotAll ? ANY : ANY_OF_LINE };
  if (char === '^') return { kind: 'place', place: flags.multiLine ? 'line-start' : 'start' };
  if (char === '$') return { kind: 'place', place: flags.multiLine ? 'line-end' : 'end' };
  if ('*+?'.includes(char)) throw invalid(`nothing to repeat before \`${char}\``);
  return chars(reader, single(char.codePointAt(0)!), flags);
}

function chars(reader: PatternReader, set: CharSet, { ignoreCase }: Flags): Regex {
  return { kind: 'chars', set: ignoreCase ? reader.inAnyCase(set) : set };
}

function readGroup(reader: PatternReader, flags: Flags, depth: number): Regex {
  reader.next();
  const found = REFUSED_GROUPS.find(([start]) => reader.startsWith(start));
  if (found) throw refusedConstruct(found[1], `(${found[0]}`);
  const inner = reader.takeMatch(/\?([a-zA-Z]*)(?:-([a-zA-Z]+))?:/y);
  const named = !inner && reader.takeMatch(/\?P?<[A-Za-z_][\w.[\]]*>/y);
  if (!inner && !named && reader.peek === '?') throw invalid('an unknown kind of group `(?`');
  const group = readAlternatives(reader, inner ? changed(flags, inner[1] ?? '', inner[2] ?? '') : flags, depth + 1);
  if (!reader.take(')')) throw invalid('an unclosed group `(`');
  return group;
}

function readEscape(reader: PatternReader, flags: Flags): Regex {
  reader.next();
  if (reader.atEnd) throw invalid('a backslash at the end');
  const letter = reader.peek;
  if (/[1-9]/.test(letter)) throw refusedConstruct('back-reference', `\\${letter}`);
  if (Object.hasOwn(REFUSED_ESCAPES, letter)) throw refusedConstruct(REFUSED_ESCAPES[letter]!, `\\${letter}`);
  const place = PLACES[letter];
  if (place) {
    reader.next();
    return { kind: 'place', place };
  }
  // The end, or before a line feed that ends the text: nothing else needs to look ahead.
  if (reader.take('Z')) return optionalLineFeedAtEnd();
  const named = readNamedClass(reader) ?? readUnicodeClass(reader);
  return chars(reader, named ?? single(readEscapedChar(reader)), flags);
}

const PLACES: Record<string, Place> = { A: 'start', z: 'end', b: 'word-boundary', B: 'no-word-boundary' };

function optionalLineFeedAtEnd(): Regex {
  const lineFeed: Regex = { kind: 'repeat', item: { kind: 'chars', set: charsOf('\n') }, min: 0, max: 1 };
  return { kind: 'sequence', items: [lineFeed, { kind: 'place', place: 'end' }] };
}

function readRepeats(reader: PatternReader, atom: Regex, flags: Flags): Regex {
  let regex = atom;
  for (let depth = 0; ; depth++) {
    if (depth > MAX_DEPTH) throw refused('Nesting as deep as this');
    if (flags.extended) reader.skipSpaceAndComments();
    const bounds = readBounds(reader);
    if (!bounds) return regex;
    if (reader.peek === '+') throw refused('A possessive quantifier (`+` after a quantifier)');
    reader.take('?');
    regex = { kind: 'repeat', item: regex, ...bounds };
    if (repeatsOf(regex) > MAX_REPEAT) throw refused(`Repeating more than ${MAX_REPEAT} times`);
  }
}

function readBounds(reader: PatternReader): { min: number; max: number | undefined } | undefined {
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

/** How often counted repetitions inside each other repeat at most. */
function repeatsOf(regex: Regex): number {
  if (regex.kind === 'sequence' || regex.kind === 'either') return Math.max(1, ...regex.items.map(repeatsOf));
  if (regex.kind !== 'repeat') return 1;
  return Math.max(1, regex.max ?? regex.min) * repeatsOf(regex.item);
}

export function statesOf(regex: Regex): number {
  if (regex.kind === 'sequence' || regex.kind === 'either')
    return regex.items.reduce((sum, item) => sum + statesOf(item), 1);
  if (regex.kind !== 'repeat') return 1;
  return Math.max(1, regex.max ?? regex.min) * statesOf(regex.item) + 1;
}
