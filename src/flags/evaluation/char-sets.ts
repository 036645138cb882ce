/** Sets of characters, as sorted ranges of code points that do not touch. */

export type CharSet = readonly (readonly [first: number, last: number])[];

export const LAST = 0x10ffff;
export const NOTHING: CharSet = [];

export function normalized(ranges: Iterable<readonly [number, number]>): CharSet {
  const joined: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = joined.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

export function union(...sets: CharSet[]): CharSet {
  return normalized(sets.flat());
}

export function complement(set: CharSet): CharSet {
  const outside: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) outside.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST) outside.push([next, LAST]);
  return outside;
}

export function intersection(a: CharSet, b: CharSet): CharSet {
  return complement(union(complement(a), complement(b)));
}

export function difference(a: CharSet, b: CharSet): CharSet {
  return intersection(a, complement(b));
}

export function has(set: CharSet, codePoint: number): boolean {
  return set.some(([first, last]) => first <= codePoint && codePoint <= last);
}

export function single(codePoint: number): CharSet {
  return [[codePoint, codePoint]];
}

/** Of one character such as `.` or `a-z` in pairs: `charsOf('az', '__')` is `[a-z_]`. */
export function charsOf(...pairs: string[]): CharSet {
  return normalized(pairs.map((pair) => [pair.codePointAt(0)!, pair.codePointAt(pair.length - 1)!] as const));
}

const scans = new Map<string, CharSet>();

/** All characters that a class of JavaScript's own regexes matches, such as `\p{L}`; finding them takes some 30 ms, once. */
function scanned(source: string): CharSet {
  let set = scans.get(source);
  if (set) return set;
  const pattern = new RegExp(source, 'u');
  const ranges: [number, number][] = [];
  for (let codePoint = 0; codePoint <= LAST; codePoint++) {
    if (codePoint === 0xd800) codePoint = 0xe000;
    if (!pattern.test(String.fromCodePoint(codePoint))) continue;
    const previous = ranges.at(-1);
    if (previous?.[1] === codePoint - 1) previous[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  set = ranges;
  scans.set(source, set);
  return set;
}

/** Unicode's definitions (UTS 18, annex C), not ASCII's. */
export const digits = () => scanned(String.raw`\p{Nd}`);
export const spaces = () => scanned(String.raw`\p{White_Space}`);
export const wordChars = () => scanned(String.raw`[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]`);

/** @param name a general category, a script or a binary property, as in `\p{name}`; undefined when there is none */
export function unicodeClass(name: string): CharSet | undefined {
  for (const source of [`\\p{${name}}`, `\\p{Script=${name}}`]) {
    try {
      return scanned(source);
    } catch {
      // Not a name of this kind.
    }
  }
  return undefined;
}

let orbits: ReadonlyMap<number, readonly number[]> | undefined;

/** Of each character that has a case, those that it is the same as once case is ignored: `k`, `K` and the Kelvin sign. */
function caseOrbits(): ReadonlyMap<number, readonly number[]> {
  if (orbits) return orbits;
  const members = new Map<string, number[]>();
  for (const codePoint of codePointsOf(scanned(String.raw`[\p{Changes_When_Casemapped}]`))) {
    const folded = simplyFolded(String.fromCodePoint(codePoint));
    members.set(folded, [...(members.get(folded) ?? []), codePoint]);
  }
  orbits = new Map([...members.values()].flatMap((orbit) => orbit.map((one) => [one, orbit])));
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

/** The set with every character that differs from one of its own by case only. */
export function ignoringCase(set: CharSet): CharSet {
  const known = caseOrbits();
  const size = set.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const candidates = size < known.size ? codePointsOf(set) : [...known.keys()].filter((one) => has(set, one));
  const added = [...candidates].flatMap((one) => known.get(one) ?? []).map((one) => [one, one] as const);
  return added.length > 0 ? union(set, normalized(added)) : set;
}
