/** Parses bracketed classes: `[a-z\d]`, `[^…]`, `[[:alpha:]]`, nested classes, and the operators `&&`, `--` and `~~`. */
import {
  charsOf,
  complement,
  difference,
  intersection,
  normalizeRanges,
  EMPTY_SET,
  singleChar,
  union,
  type CharSet,
} from './char-sets.ts';
import type { PatternReader } from './pattern-reader.ts';
import { invalid, unsupportedPattern } from './regex-errors.ts';
import { readEscapedChar, readNamedClass, readUnicodeClass } from './regex-escapes.ts';

/** POSIX classes, which are ASCII only. */
const POSIX: Record<string, CharSet> = {
  alnum: charsOf('09', 'AZ', 'az'),
  alpha: charsOf('AZ', 'az'),
  ascii: charsOf('\0\x7f'),
  blank: charsOf('\t', ' '),
  cntrl: charsOf('\0\x1f', '\x7f'),
  digit: charsOf('09'),
  graph: charsOf('!~'),
  lower: charsOf('az'),
  print: charsOf(' ~'),
  punct: charsOf('!/', ':@', '[`', '{~'),
  space: charsOf('\t\r', ' '),
  upper: charsOf('AZ'),
  word: charsOf('09', 'AZ', 'az', '_'),
  xdigit: charsOf('09', 'AF', 'af'),
};

type Operation = (a: CharSet, b: CharSet) => CharSet;
const OPERATIONS: readonly (readonly [sign: string, apply: Operation])[] = [
  ['&&', intersection],
  ['--', difference],
  ['~~', (a, b) => union(difference(a, b), difference(b, a))],
];

/** Limit of nested classes. */
const MAX_DEPTH = 200;

/**
 * Parses a class from its `[` to its `]`.
 * @param depth number of surrounding classes
 * @throws InvalidInput
 */
export function readClass(reader: PatternReader, ignoreCase: boolean, depth = 0): CharSet {
  // tooth: pattern-nesting
  if (depth > MAX_DEPTH) throw unsupportedPattern('Nesting as deep as this');
  reader.next();
  const negated = reader.take('^');
  let set = EMPTY_SET;
  let apply: Operation = union;
  // Joined when the operand ends, because sorting the ranges for each item would take quadratic time.
  let operand: (readonly [number, number])[] = [];
  // The first bracket, and dashes before everything else, stand for themselves.
  if (reader.take(']')) operand.push(...charsOf(']'));
  while (reader.take('-')) operand.push(...charsOf('-'));
  while (!reader.take(']')) {
    if (reader.atEnd) throw invalid('an unclosed class `[`');
    const operation = OPERATIONS.find(([sign]) => reader.take(sign));
    if (!operation) {
      for (const range of readItem(reader, ignoreCase, depth)) operand.push(range);
      continue;
    }
    set = reader.chargeFor(apply(set, foldCase(reader, operand, ignoreCase)));
    apply = operation[1];
    operand = [];
  }
  set = reader.chargeFor(apply(set, foldCase(reader, operand, ignoreCase)));
  return negated ? complement(set) : set;
}

function foldCase(reader: PatternReader, ranges: CharSet, ignoreCase: boolean): CharSet {
  const set = reader.chargeFor(normalizeRanges(ranges));
  return ignoreCase ? reader.withAnyCase(set) : set;
}

function readItem(reader: PatternReader, ignoreCase: boolean, depth: number): CharSet {
  const posix = reader.takeMatch(/\[:(\^?)([a-z]+):\]/y);
  if (posix) return posixClass(posix[2]!, posix[1] === '^');
  if (reader.peek === '[') return readClass(reader, ignoreCase, depth + 1);
  const first = readChar(reader);
  if (typeof first !== 'number') return first;
  if (!reader.startsWith('-') || reader.startsWith('-]') || reader.startsWith('--')) return singleChar(first);
  reader.next();
  const last = readChar(reader);
  if (typeof last !== 'number' || last < first) throw invalid('a range in a class that ends before its start');
  return [[first, last]];
}

function posixClass(name: string, negated: boolean): CharSet {
  if (!Object.hasOwn(POSIX, name)) throw invalid(`an unknown class \`[:${name}:]\``);
  return negated ? complement(POSIX[name]!) : POSIX[name]!;
}

/** Reads one character, or the set of a class escape such as `\d`. */
function readChar(reader: PatternReader): number | CharSet {
  if (reader.atEnd) throw invalid('an unclosed class `[`');
  if (!reader.take('\\')) return reader.next().codePointAt(0)!;
  if (reader.atEnd) throw invalid('a backslash at the end');
  // In a class `\b` is a backspace, not a word boundary.
  if (reader.take('b')) return 8;
  return readNamedClass(reader) ?? readUnicodeClass(reader) ?? readEscapedChar(reader);
}
