/** Sets of characters, as sorted ranges of code points that do not touch. */

export type CharSet = readonly (readonly [first: number, last: number])[];

export const LAST_CODE_POINT = 0x10ffff;
export const EMPTY_SET: CharSet = [];

export function normalizeRanges(ranges: Iterable<readonly [number, number]>): CharSet {
  const merged: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

export function union(...sets: CharSet[]): CharSet {
  return normalizeRanges(sets.flat());
}

export function complement(set: CharSet): CharSet {
  const complementRanges: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) complementRanges.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST_CODE_POINT) complementRanges.push([next, LAST_CODE_POINT]);
  return complementRanges;
}

export function intersection(a: CharSet, b: CharSet): CharSet {
  const common: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length;) {
    const [first, last] = [Math.max(a[i]![0], b[j]![0]), Math.min(a[i]![1], b[j]![1])];
    if (first <= last) common.push([first, last]);
    if (a[i]![1] < b[j]![1]) i += 1;
    else j += 1;
  }
  return common;
}

export function difference(a: CharSet, b: CharSet): CharSet {
  return intersection(a, complement(b));
}

export function has(set: CharSet, codePoint: number): boolean {
  let [from, to] = [0, set.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (set[middle]![1] < codePoint) from = middle + 1;
    else to = middle;
  }
  return from < set.length && set[from]![0] <= codePoint;
}

/** Number of characters in the set. */
export function sizeOf(set: CharSet): number {
  return set.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export function singleChar(codePoint: number): CharSet {
  return [[codePoint, codePoint]];
}

/** Creates a set from ranges, each given by its two ends: `charsOf('az', '__')` is `[a-z_]`. */
export function charsOf(...pairs: string[]): CharSet {
  return normalizeRanges(pairs.map((pair) => [pair.codePointAt(0)!, pair.codePointAt(pair.length - 1)!] as const));
}

/** Code points that may be assigned, except for private use. Elsewhere, all code points of a plane but the last two are of one kind. */
const ASSIGNED: CharSet = [
  [0, 0xd7ff],
  [0xe000, 0x3ffff],
  [0xe0000, 0xe0fff],
];
const UNASSIGNED: CharSet = Array.from({ length: 0x11 }, (_, plane): [number, number][] => {
  const start = plane * 0x10000;
  return [
    [start, start + 0xfffd],
    [start + 0xfffe, start + 0xffff],
  ];
})
  .flat()
  .flatMap((part) => difference([part], union(ASSIGNED, [[0xd800, 0xdfff]])));

type Text = { readonly text: string; codePointAt(index: number): number };
let assigned: readonly Text[] | undefined;

/** Returns texts of all assigned characters in order, separate for the BMP, so an index in a text identifies a character. */
function assignedTexts(): readonly Text[] {
  return (assigned ??= ASSIGNED.flatMap(([first, last]) =>
    last < 0xffff || first > 0xffff ? [[first, last] as const] : [[first, 0xffff] as const, [0x10000, last] as const],
  ).map(([first, last]) => {
    const units = first > 0xffff ? 2 : 1;
    let text = '';
    for (let codePoint = first; codePoint <= last; codePoint++) text += String.fromCodePoint(codePoint);
    return { text, codePointAt: (index) => first + index / units };
  }));
}

const scans = new Map<string, CharSet>();

/**
 * Finds all characters of a class, and caches them. Takes some 15 ms, the first time some 100 ms.
 * @param classText content of a bracket in JavaScript's syntax, such as `\p{L}`
 */
function scanClass(classText: string): CharSet {
  const known = scans.get(classText);
  if (known) return known;
  const [member, other] = [new RegExp(`[${classText}]`, 'gu'), new RegExp(`[^${classText}]`, 'gu')];
  const ranges: [number, number][] = [];
  for (const { text, codePointAt } of assignedTexts()) {
    for (let index = 0; index < text.length;) {
      member.lastIndex = index;
      const start = member.exec(text)?.index ?? text.length;
      if (start === text.length) break;
      other.lastIndex = start;
      index = other.exec(text)?.index ?? text.length;
      ranges.push([codePointAt(start), codePointAt(index) - 1]);
    }
  }
  for (const [first, last] of UNASSIGNED) {
    if (new RegExp(`[${classText}]`, 'u').test(String.fromCodePoint(first))) ranges.push([first, last]);
  }
  const set = normalizeRanges(ranges);
  scans.set(classText, set);
  return set;
}

/** Unicode's definitions (UTS 18, annex C), not ASCII's. */
export const digits = () => scanClass(String.raw`\p{Nd}`);
export const spaces = () => scanClass(String.raw`\p{White_Space}`);
export const wordChars = () => scanClass(String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`);

/** @param name a general category, a script or a binary property, as in `\p{name}` @returns undefined for an unknown name */
export function unicodeClass(name: string): CharSet | undefined {
  for (const source of [`\\p{${name}}`, `\\p{Script=${name}}`]) {
    try {
      return scanClass(source);
    } catch {
      // Another kind of name.
    }
  }
  return undefined;
}

let orbits: ReadonlyMap<number, readonly number[]> | undefined;
/** Characters with a case, in ascending order. */
let cased: readonly number[] = [];

/** Maps each character with a case to all that equal it when case is ignored, such as `k`, `K` and the Kelvin sign. */
function caseOrbits(): ReadonlyMap<number, readonly number[]> {
  if (orbits) return orbits;
  const members = new Map<string, number[]>();
  for (const codePoint of codePointsOf(scanClass(String.raw`\p{Changes_When_Casemapped}`))) {
    const folded = simplyFolded(String.fromCodePoint(codePoint));
    members.set(folded, [...(members.get(folded) ?? []), codePoint]);
  }
  orbits = new Map([...members.values()].flatMap((orbit) => orbit.map((char) => [char, orbit])));
  cased = [...orbits.keys()].sort((a, b) => a - b);
  return orbits;
}

function* codePointsOf(set: CharSet): Iterable<number> {
  for (const [first, last] of set) {
    for (let codePoint = first; codePoint <= last; codePoint++) yield codePoint;
  }
}

function simplyFolded(char: string): string {
  const upper = oneChar(char.toUpperCase()) ?? char;
  return oneChar(upper.toLowerCase()) ?? upper;
}

function oneChar(text: string): string | undefined {
  return String.fromCodePoint(text.codePointAt(0)!) === text ? text : undefined;
}

/** Approximate number of characters with a case, which bounds the work of `ignoringCase`. */
export const CASED_COUNT = 3000;
const cachedFolds = new WeakMap<CharSet, CharSet>();

/** The set together with all characters that differ from its characters only by case. */
export function ignoringCase(set: CharSet): CharSet {
  let known = cachedFolds.get(set);
  if (!known) cachedFolds.set(set, (known = withOtherCases(set)));
  return known;
}

function withOtherCases(set: CharSet): CharSet {
  const known = caseOrbits();
  const candidates = sizeOf(set) < known.size ? codePointsOf(set) : casedCharsIn(set);
  const added = [...candidates].flatMap((char) => known.get(char) ?? []).map((char) => [char, char] as const);
  return added.length > 0 ? union(set, normalizeRanges(added)) : set;
}

function* casedCharsIn(set: CharSet): Iterable<number> {
  let index = 0;
  for (const codePoint of cased) {
    while (index < set.length && set[index]![1] < codePoint) index += 1;
    if (index === set.length) return;
    if (set[index]![0] <= codePoint) yield codePoint;
  }
}
