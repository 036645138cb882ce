/**
 * Limits the cost of parsing patterns, counted in ranges of characters. A class such as `\w` or `\p{L}` takes few characters of a pattern, but
 * consists of hundreds of ranges that are all processed.
 */
import { InvalidInput } from '../../platform/errors.ts';
import { unsupportedPattern } from './regex-errors.ts';

/** Limit for one pattern: some 60 classes of all letters, which take some 40 ms to compile. */
const MAX_RANGES_OF_PATTERN = 50_000;
/** Limit for all patterns of a flag, a cohort, a query or an export. */
const MAX_RANGES_TOGETHER = 100_000;
/** Cost of finding all characters of a class, which takes milliseconds. */
const RANGES_TO_FIND = 5_000;

type BudgetOptions = { limit?: number; limitError?: () => Error; parent?: PatternBudget | undefined };

const tooLarge = () => unsupportedPattern('A pattern with as large classes as this');
const tooMuchTogether = () =>
  new InvalidInput('The patterns of all conditions together are too large.', 'value', 'invalid_value');

export class PatternBudget {
  #taken = 0;
  readonly #limit: number;
  readonly #limitError: () => Error;
  readonly #parent: PatternBudget | undefined;
  /** Names of classes that were looked up already. */
  readonly #lookedUpNames: Set<string>;

  /** @param parent the budget of all patterns together, from which ranges are taken as well */
  constructor({ limit = MAX_RANGES_OF_PATTERN, limitError = tooLarge, parent }: BudgetOptions = {}) {
    this.#limit = limit;
    this.#limitError = limitError;
    this.#parent = parent;
    this.#lookedUpNames = parent ? parent.#lookedUpNames : new Set();
  }

  get taken(): number {
    return this.#taken;
  }

  /** @throws InvalidInput when less is left */
  take(ranges: number): void {
    this.#taken += ranges;
    // tooth: pattern-room
    if (this.#taken > this.#limit) throw this.#limitError();
    this.#parent?.take(ranges);
  }

  /** Charges for finding a class by its name, once. @throws InvalidInput as `take` */
  takeToFind(name: string): void {
    if (!this.#lookedUpNames.has(name)) this.take(RANGES_TO_FIND);
    this.#lookedUpNames.add(name);
  }
}

/** Returns the budget for all patterns of one request. */
export function sharedPatternBudget(): PatternBudget {
  return new PatternBudget({ limit: MAX_RANGES_TOGETHER, limitError: tooMuchTogether });
}
