/** A cursor over a pattern, by code points. */
import { CASED_COUNT, ignoringCase, sizeOf, type CharSet } from './char-sets.ts';
import type { PatternBudget } from './pattern-budget.ts';
import { invalid } from './regex-errors.ts';

export class PatternReader {
  readonly #text: string;
  readonly #budget: PatternBudget;
  readonly #folded = new Set<CharSet>();
  #at = 0;

  /** @param budget the budget from which parts of the pattern are taken */
  constructor(text: string, budget: PatternBudget) {
    this.#text = text;
    this.#budget = budget;
  }

  /** Charges for each range of the set. @returns the set */
  chargeFor(set: CharSet): CharSet {
    this.#budget.take(set.length);
    return set;
  }

  /** Charges for looking up a Unicode class by name. */
  chargeLookUp(name: string): void {
    this.#budget.takeToFind(name);
  }

  /** Adds the other cases of the set's characters. Charges for folding only the first time for each set. */
  withAnyCase(set: CharSet): CharSet {
    if (!this.#folded.has(set)) this.#budget.take(Math.min(CASED_COUNT, sizeOf(set)));
    this.#folded.add(set);
    return this.chargeFor(ignoringCase(set));
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The character at the cursor, both halves of a surrogate pair; empty at the end. */
  get peek(): string {
    const codePoint = this.#text.codePointAt(this.#at);
    return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
  }

  next(): string {
    const char = this.peek;
    this.#at += char.length;
    return char;
  }

  startsWith(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** Moves past the text if it is at the cursor. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Moves past the match of the sticky pattern. */
  takeMatch(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  /** @returns the part before the text; moves past both */
  takeUntil(text: string): string {
    const end = this.#text.indexOf(text, this.#at);
    if (end === -1) throw invalid(`\`${text}\` is missing`);
    const textBefore = this.#text.slice(this.#at, end);
    this.#at = end + text.length;
    return textBefore;
  }

  /** Skips spaces and comments, for the flag `x`. @returns whether there were any */
  skipSpaceAndComments(): boolean {
    const start = this.#at;
    while (this.takeMatch(/\s+|#[^\n]*/y));
    return this.#at > start;
  }
}
