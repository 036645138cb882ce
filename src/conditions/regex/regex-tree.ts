/**
 * Trees of patterns. Each node has its size, computed from the sizes of its parts, because computing it again for every quantifier would
 * take quadratic time.
 */
import type { CharSet } from './char-sets.ts';

export type Assertion = 'start' | 'end' | 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary';

type Size = {
  /** Upper limit of the matching machine's states. */
  readonly states: number;
  /** Largest product of nested counted repetitions. */
  readonly repeats: number;
  /** Depth of nested repetitions. */
  readonly depth: number;
};

export type Bounds = { readonly min: number; readonly max: number | undefined };

export type Regex = Size &
  (
    | { readonly kind: 'chars'; readonly set: CharSet }
    | { readonly kind: 'assertion'; readonly assertion: Assertion }
    | { readonly kind: 'sequence'; readonly items: readonly Regex[] }
    | { readonly kind: 'either'; readonly items: readonly Regex[] }
    | ({ readonly kind: 'repeat'; readonly item: Regex } & Bounds)
  );

const LEAF: Size = { states: 1, repeats: 1, depth: 0 };

export function charsNode(set: CharSet): Regex {
  return { kind: 'chars', set, ...LEAF };
}

export function assertionNode(assertion: Assertion): Regex {
  return { kind: 'assertion', assertion, ...LEAF };
}

export function sequenceOf(items: readonly Regex[]): Regex {
  return items.length === 1 ? items[0]! : { kind: 'sequence', items, ...sizeOf(items) };
}

export function eitherOf(items: readonly Regex[]): Regex {
  return items.length === 1 ? items[0]! : { kind: 'either', items, ...sizeOf(items) };
}

function sizeOf(items: readonly Regex[]): Size {
  let { states, repeats, depth } = LEAF;
  for (const item of items) {
    states += item.states;
    repeats = Math.max(repeats, item.repeats);
    depth = Math.max(depth, item.depth);
  }
  return { states, repeats, depth };
}

export function repeatOf(item: Regex, { min, max }: Bounds): Regex {
  const times = Math.max(1, max ?? min);
  return {
    kind: 'repeat',
    item,
    min,
    max,
    states: times * item.states + 1,
    repeats: times * item.repeats,
    depth: item.depth + 1,
  };
}
