/** A cursor over a pattern, a code point at a time. */
import { CASED, ignoringCase, sizeOf, type CharSet } from './char-sets.ts';
import type { PatternRoom } from './pattern-room.ts';
import { invalid } from './regex-errors.ts';

export class PatternReader {
  readonly #text: string;
  readonly #room: PatternRoom;
  readonly #folded = new Set<CharSet>();
  #at = 0;

  /** @param room from which the parts of the pattern are counted */
  constructor(text: string, room: PatternRoom) {
    this.#text = text;
    this.#room = room;
  }

  /** @returns the set, which takes room for each of its ranges */
  taking(set: CharSet): CharSet {
    this.#room.take(set.length);
    return set;
  }

  /** Before a class of Unicode's is looked up by its name. */
  lookUp(name: string): void {
    this.#room.takeToFind(name);
  }

  /** @returns the set in any case; a repeated set takes only its own room */
  inAnyCase(set: CharSet): CharSet {
    if (!this.#folded.has(set)) this.#room.take(Math.min(CASED, sizeOf(set)));
    this.#folded.add(set);
    return this.taking(ignoringCase(set));
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The character here, whole; empty at the end. */
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

  /** Steps over the text when it stands here. */
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
    const before = this.#text.slice(this.#at, end);
    this.#at = end + text.length;
    return before;
  }

  /** Spaces and comments, which the flag `x` leaves out. */
  skipSpaceAndComments(): boolean {
    const start = this.#at;
    while (this.takeMatch(/\s+|#[^\n]*/y));
    return this.#at > start;
  }
}
