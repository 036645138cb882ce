/** Parses escapes: a backslash and the characters after it. */
import {
  charsOf,
  complement,
  digits,
  LAST_CODE_POINT,
  spaces,
  unicodeClass,
  wordChars,
  type CharSet,
} from './char-sets.ts';
import type { PatternReader } from './pattern-reader.ts';
import { invalid } from './regex-errors.ts';

const CONTROLS: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, e: 27 };

/** Parses `\n`, `\x41`, `\x{1F600}`, `\u0041`, `\U0001F600`, or an escaped punctuation character. */
export function readEscapedChar(reader: PatternReader): number {
  const hex = reader.takeMatch(/x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,8})\}/y);
  if (hex) return validateCodePoint(Number.parseInt(hex.slice(1).find(Boolean)!, 16));
  const char = reader.next();
  if (Object.hasOwn(CONTROLS, char)) return CONTROLS[char]!;
  if (/[0-9A-Za-z]/.test(char) || char === '') throw invalid(`an unknown escape \`\\${char}\``);
  return char.codePointAt(0)!;
}

function validateCodePoint(codePoint: number): number {
  if (codePoint > LAST_CODE_POINT || (codePoint >= 0xd800 && codePoint <= 0xdfff))
    throw invalid('a number that is no character');
  return codePoint;
}

/** Parses `\p{Greek}`, `\pL`, `\P{L}`, `\p{^L}`, `\p{Script=Greek}`; undefined for anything else. */
export function readUnicodeClass(reader: PatternReader): CharSet | undefined {
  const found = reader.takeMatch(/([pP])(?:\{(\^?)([\w=:!]+)\}|([A-Z]))/y);
  if (!found) return undefined;
  const [whole, letter, caret, name, short] = found;
  const wanted = (name ?? short ?? '').replace(':', '=');
  reader.chargeLookUp(wanted);
  const set = unicodeClass(wanted);
  if (!set) throw invalid(`an unknown class \`\\${whole}\``);
  return reader.chargeFor((letter === 'P') !== (caret === '^') ? complement(set) : set);
}

/** Parses `\d`, `\W` and the like; undefined for anything else. */
export function readNamedClass(reader: PatternReader): CharSet | undefined {
  const letter = reader.peek;
  const set = NAMED_CLASSES[letter.toLowerCase()]?.();
  if (!set) return undefined;
  reader.next();
  return reader.chargeFor(letter === letter.toLowerCase() ? set : complement(set));
}

const NAMED_CLASSES: Record<string, () => CharSet> = {
  d: digits,
  s: spaces,
  w: wordChars,
  h: () => charsOf('09', 'af', 'AF'),
};
