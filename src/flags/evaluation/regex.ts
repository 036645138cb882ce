/** Whether a pattern is found in a text, in time linear in the text's length (RE2). */
import { RE2JS } from 're2js';
import { LAST, type CharSet } from './char-sets.ts';
import { parseRegex, type Place, type Regex } from './regex-syntax.ts';

const COMPILED_PATTERNS = 1000;
const compiled = new Map<string, RE2JS | null>();

/** @returns undefined for a pattern that is invalid or not supported: it matches nothing, nor does its negation */
export type Search = (text: string) => boolean | undefined;

/** The pattern is compiled when it is searched for first: that takes longer than most searches. */
export function searchFor(pattern: string): Search {
  let regex: RE2JS | null | undefined;
  return (text) => (regex ??= compiledOnce(pattern))?.test(text);
}

function compiledOnce(pattern: string): RE2JS | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= COMPILED_PATTERNS) compiled.clear();
  const regex = compile(pattern);
  compiled.set(pattern, regex);
  return regex;
}

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(re2Of(parseRegex(pattern)));
  } catch {
    return null;
  }
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
