/** Finds the data intervals of an export that need a person, and those that Sluice will retry, from the facts about them. */
import { codeOf, FACTS, hasMark } from '../domain/interval-codes.ts';
import type { DataInterval } from '../domain/intervals.ts';
import { isPausedAt, type Pause } from '../domain/pauses.ts';
import { sourceStartOfExport } from '../intervals/expired.ts';
import type { FactRange } from '../intervals/interval-facts.store.ts';
import { factsOfAll, offeredFact } from '../intervals/offered.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import type { Troubled } from '../intervals/troubled-intervals.store.ts';

export type TroubledInterval = DataInterval & {
  facts: FactRange[];
  /** Whether the reconciler delivers the interval as a gap. */
  isGap: boolean;
  /** Whether the destination holds an earlier delivery of the interval that no run left half replaced. */
  hasEarlierDelivery: boolean;
};

/** Newest first. `mayHaveMore`: more intervals may be in trouble than are listed. */
export type Attention = { needsYou: TroubledInterval[]; retrying: TroubledInterval[]; mayHaveMore: boolean };

/** @param troubled of the export; absent: none */
export function attentionOf(
  batchExport: BatchExport,
  pauses: readonly Pause[],
  { facts, mayHaveMore }: Troubled = { facts: [], mayHaveMore: false },
): Attention {
  const offered = offeredFact(batchExport);
  const sourceStart = sourceStartOfExport(batchExport);
  const always = factsOfAll(batchExport);
  const attention: Attention = { needsYou: [], retrying: [], mayHaveMore };
  for (const [end, ofInterval] of Map.groupBy(facts, (fact) => fact.end)) {
    const { start } = ofInterval[0]!;
    const isOffered = offered.from < end && end <= offered.to;
    const isPaused = isPausedAt(pauses, end);
    const sum = ofInterval.reduce(
      (all, { fact }) => all | FACTS[fact],
      always |
        (isOffered ? FACTS.offered : 0) |
        (isPaused ? FACTS.paused : 0) |
        (start < sourceStart ? FACTS.expired : 0),
    );
    const ranges = ofInterval.map(({ fact }): FactRange => ({ fact, from: start, to: end }));
    const hasEarlierDelivery = (sum & (FACTS.held | FACTS.unsettled)) === FACTS.held;
    const interval = { start, end, facts: ranges, isGap: isOffered && !isPaused, hasEarlierDelivery };
    if (hasMark(codeOf(sum), 'y')) attention.needsYou.push(interval);
    if (hasMark(codeOf(sum), 't')) attention.retrying.push(interval);
  }
  for (const list of [attention.needsYou, attention.retrying]) list.sort((a, b) => b.end - a.end);
  return attention;
}
