/**
 * Cost of reading patterns, counted in ranges of characters: a class such as `\w` or `\p{L}` is hundreds of them, in three
 * characters of a pattern, and each is read, compared, and written for the engine.
 */
import { InvalidInput } from '../../platform/errors.ts';
import { refused } from './regex-errors.ts';

/** Of one pattern: some 60 classes of all letters. To make a machine of as many takes some 40 ms. */
const RANGES_OF_PATTERN = 50_000;
/** Of all patterns of a flag, a cohort, a query or an export. */
const RANGES_TOGETHER = 100_000;
/** To find all characters of a class takes milliseconds. */
const RANGES_TO_FIND = 5_000;

type RoomOptions = { most?: number; refuse?: () => Error; around?: PatternRoom | undefined };

const tooLarge = () => refused('A pattern with as large classes as this');
const tooMuchTogether = () =>
  new InvalidInput('The patterns of all conditions together are too large.', 'value', 'invalid_value');

export class PatternRoom {
  #taken = 0;
  readonly #most: number;
  readonly #refuse: () => Error;
  readonly #around: PatternRoom | undefined;
  /** Classes that were looked for. */
  readonly #found: Set<string>;

  /** @param around the room of all patterns, of which it is for one */
  constructor({ most = RANGES_OF_PATTERN, refuse = tooLarge, around }: RoomOptions = {}) {
    this.#most = most;
    this.#refuse = refuse;
    this.#around = around;
    this.#found = around ? around.#found : new Set();
  }

  get taken(): number {
    return this.#taken;
  }

  /** @throws InvalidInput when there is no such room */
  take(ranges: number): void {
    this.#taken += ranges;
    // tooth: pattern-room
    if (this.#taken > this.#most) throw this.#refuse();
    this.#around?.take(ranges);
  }

  /** For finding a class by its name, once. @throws InvalidInput as `take` */
  takeToFind(name: string): void {
    if (!this.#found.has(name)) this.take(RANGES_TO_FIND);
    this.#found.add(name);
  }
}

/** For all patterns of what is saved or asked at once. */
export function roomTogether(): PatternRoom {
  return new PatternRoom({ most: RANGES_TOGETHER, refuse: tooMuchTogether });
}
