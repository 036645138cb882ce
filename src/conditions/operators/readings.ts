/**
 * Caches parsed properties of one request, so long ones are parsed once for all conditions, and limits the work of the request. Work is
 * counted in steps rather than time, so a request gets the same answer on a slow machine.
 */
import { instantOfProperty, type DateContext } from './dates.ts';
import { isList, numberOf, textOf, type Json } from './json-values.ts';
import { comparableVersionOf, versionOf, type Version } from './semver.ts';

/**
 * Limit of steps. A step is the work on about one character, up to some ten nanoseconds. A condition on a short property takes one step, so
 * ten thousand flags with ten conditions each use a hundredth of the limit.
 */
export const STEPS_PER_REQUEST = 10_000_000;
/** Shorter values are not cached, because parsing them again costs less than a look-up. */
const MAX_UNCACHED = 32;
/** Steps for each element of a list, and for each property of an object, whose names are sorted too. */
const ELEMENT_STEPS = 10;
const PROPERTY_STEPS = 50;

/** The request has used up its steps, so undecided flags fail. */
export class StepsSpent extends Error {
  constructor() {
    super('The steps of the request are used up.');
  }
}

type Known<T> = Map<Json, T>;

export class Readings {
  #left: number;
  readonly #texts: Known<string> = new Map();
  #lowered: Known<string> | undefined;
  #loweredAscii: Known<string> | undefined;
  #numbers: Known<number | undefined> | undefined;
  #instants: Known<bigint | undefined> | undefined;
  #versions: Known<Version | undefined> | undefined;
  #comparable: Known<Version | undefined> | undefined;
  #truths: Known<boolean> | undefined;

  /** @param steps how much work may be done */
  constructor(steps = STEPS_PER_REQUEST) {
    this.#left = steps;
  }

  get areSpent(): boolean {
    return this.#left < 0;
  }

  /** Takes steps before work is done. @throws StepsSpent if too few are left */
  spend(steps: number): void {
    this.#left -= steps;
    // tooth: request-steps
    if (this.#left < 0) throw new StepsSpent();
  }

  /** Takes steps per character of a long text; a short one is free, because its condition has taken a step already. */
  spendOn(text: string, stepsPerCharacter = 1): void {
    if (text.length > MAX_UNCACHED) this.spend(text.length * stepsPerCharacter);
  }

  /** Caches `textOf` of lists and objects. */
  text(value: Json): string {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null) return textOf(value);
    return cachedRead(this.#texts, value, () => this.#textOf(value));
  }

  #textOf(value: Json): string {
    this.#spendOnMembers(value);
    return textOf(value);
  }

  /** Takes steps for serializing a value, which sorts names and cannot be interrupted. */
  #spendOnMembers(value: Json): void {
    if (typeof value === 'string') return this.spend(value.length);
    if (typeof value !== 'object' || value === null) return this.spend(1);
    if (isList(value)) {
      this.spend(value.length * ELEMENT_STEPS);
      for (const element of value) this.#spendOnMembers(element);
      return;
    }
    for (const name in value) {
      this.spend(PROPERTY_STEPS + name.length);
      this.#spendOnMembers((value as { readonly [key: string]: Json })[name]!);
    }
  }

  /** The text in lower case, in all scripts. */
  lowerCase(value: Json): string {
    const text = this.text(value);
    return text.length <= MAX_UNCACHED
      ? text.toLowerCase()
      : this.#lowerOnce((this.#lowered ??= new Map()), text, toLowerCase);
  }

  /** The text with only A to Z in lower case. */
  lowerCaseAscii(value: Json): string {
    const text = this.text(value);
    return text.length <= MAX_UNCACHED
      ? lowerAscii(text)
      : this.#lowerOnce((this.#loweredAscii ??= new Map()), text, lowerAscii);
  }

  #lowerOnce(known: Known<string>, text: string, write: (text: string) => string): string {
    return cachedRead(known, text, () => {
      this.spend(text.length);
      return write(text);
    });
  }

  /** Caches `numberOf` of long texts. */
  number(value: Json): number | undefined {
    if (typeof value !== 'string' || value.length <= MAX_UNCACHED) return numberOf(value);
    return cachedRead((this.#numbers ??= new Map()), value, () => numberOf(value));
  }

  /** Caches `instantOfProperty`. @param context the same for all of a request */
  instant(value: Json, context: DateContext): bigint | undefined {
    return cachedRead((this.#instants ??= new Map()), value, () => instantOfProperty(value, context));
  }

  /** Caches `versionOf` of long texts. */
  version(value: Json): Version | undefined {
    const text = this.text(value);
    return text.length <= MAX_UNCACHED
      ? versionOf(text)
      : cachedRead((this.#versions ??= new Map()), text, () => versionOf(text));
  }

  /** Caches `comparableVersionOf`. */
  comparableVersion(value: Json): Version | undefined {
    return cachedRead((this.#comparable ??= new Map()), this.text(value), (text) =>
      comparableVersionOf(text as string),
    );
  }

  /** Whether a value is true, or a list of only true values. */
  isTrue(value: Json): boolean {
    if (!isList(value)) return isTruth(value);
    return cachedRead((this.#truths ??= new Map()), value, () => {
      this.#spendOnMembers(value);
      return isTruth(value);
    });
  }
}

/** @param read called for a value that is not cached yet; may throw */
function cachedRead<Value extends Json, T>(known: Known<T>, value: Value, read: (value: Value) => T): T {
  let result = known.get(value);
  if (result !== undefined || known.has(value)) return result!;
  result = read(value);
  known.set(value, result);
  return result;
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}

/** The text with A to Z in lower case. */
export function lowerAscii(text: string): string {
  // Most texts are in lower case, and this tells it in half the time that a pattern takes.
  if (text.toLowerCase() === text) return text;
  if (!/[A-Z]/.test(text)) return text;
  // Matches whole runs, because a call for each letter would take ten times as long.
  return text.replaceAll(/[A-Za-z0-9 ]+/g, (run) => run.toLowerCase());
}

/**
 * Whether a value is true, or a list of only true values, even an empty one. Checks the length first, because lower-casing a long text would
 * take milliseconds for each condition.
 */
export function isTruth(value: Json): boolean {
  if (isList(value)) return value.every(isTruth);
  // tooth: truth-length
  return value === true || (typeof value === 'string' && value.length === 4 && value.toLowerCase() === 'true');
}
