/**
 * Matches anchored patterns in which each character can belong to only one part of the pattern, such as `^user-\d+@example\.com$`, by
 * reading each character once. RE2 calls such patterns "one-pass". A general machine costs ten times as much, and most patterns in flags
 * are of this kind.
 */
import { has, intersection, type CharSet } from './char-sets.ts';
import type { Regex } from './regex-tree.ts';

/** A number of characters of a set that must come next; without `max`, any number from `min`. */
type Step = { readonly set: CharSet; readonly min: number; readonly max: number | undefined };
/** Returns the position after a step, or -1 without a match. */
type Take = (text: string, at: number) => number;

const ASCII = 128;
/** Maximum number of steps that are examined after one of varying length, because examining thousands after each takes quadratic time. */
const MAX_LOOKAHEAD = 50;

/** @returns undefined for patterns that are not one-pass */
export function onePassTest(regex: Regex): ((text: string) => boolean) | undefined {
  const parts = flattenSequence(regex);
  if (!isAssertion(parts[0], 'start')) return undefined;
  const reachesEnd = isAssertion(parts.at(-1), 'end');
  const steps = parts.slice(1, reachesEnd ? -1 : undefined).map(stepOf);
  if (!steps.every((step) => step !== undefined) || !isDeterministic(steps)) return undefined;
  const takes = takesOf(steps);

  return (text) => {
    let position = 0;
    for (const take of takes) {
      position = take(text, position);
      if (position < 0) return false;
    }
    return !reachesEnd || position === text.length;
  };
}

/** Joins consecutive single characters, which are compared as one text. */
function takesOf(steps: readonly Step[]): Take[] {
  const takes: Take[] = [];
  let literal = '';
  for (const step of steps) {
    const char = onlyCharOf(step);
    if (char !== undefined) {
      literal += char;
      continue;
    }
    if (literal !== '') takes.push(takeText(literal));
    literal = '';
    takes.push(takeChars(step));
  }
  if (literal !== '') takes.push(takeText(literal));
  return takes;
}

/** @returns undefined unless the step is one character; also for half a surrogate pair, which as text would match inside a whole pair */
function onlyCharOf({ set, min, max }: Step): string | undefined {
  const [only, second] = set;
  if (!only || second || only[0] !== only[1] || min !== 1 || max !== 1) return undefined;
  const char = String.fromCodePoint(only[0]);
  return char.isWellFormed() ? char : undefined;
}

function takeText(literal: string): Take {
  return (text, at) => (text.startsWith(literal, at) ? at + literal.length : -1);
}

function takeChars({ set, min, max = Infinity }: Step): Take {
  const isIn = createCharTest(set);

  return (text, from) => {
    let [at, count] = [from, 0];
    for (; count < max && at < text.length; count++) {
      const code = text.codePointAt(at)!;
      if (!isIn(code)) break;
      at += code > 0xffff ? 2 : 1;
    }
    return count < min ? -1 : at;
  };
}

function flattenSequence(regex: Regex): readonly Regex[] {
  return regex.kind === 'sequence' ? regex.items.flatMap(flattenSequence) : [regex];
}

function isAssertion(part: Regex | undefined, assertion: 'start' | 'end'): boolean {
  return part?.kind === 'assertion' && part.assertion === assertion;
}

function stepOf(part: Regex): Step | undefined {
  if (part.kind === 'chars') return { set: part.set, min: 1, max: 1 };
  if (part.kind !== 'repeat') return undefined;
  const [only, second] = flattenSequence(part.item);
  if (only?.kind !== 'chars' || second) return undefined;
  return { set: only.set, min: part.min, max: part.max };
}

/** Whether each step can take all that it matches: no step that may follow a step of varying length shares a character with it. */
function isDeterministic(steps: readonly Step[]): boolean {
  return steps.every(({ set, min, max }, index) => {
    if (min === max) return true;
    for (const next of steps.slice(index + 1, index + 1 + MAX_LOOKAHEAD)) {
      if (intersection(set, next.set).length > 0) return false;
      if (next.min > 0) return true;
    }
    return index + 1 + MAX_LOOKAHEAD >= steps.length;
  });
}

function createCharTest(set: CharSet): (code: number) => boolean {
  const ascii = Uint8Array.from({ length: ASCII }, (_, code) => Number(has(set, code)));
  return (code) => (code < ASCII ? ascii[code] === 1 : has(set, code));
}
