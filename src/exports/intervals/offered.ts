/** Facts from an export's own row: which data intervals it should deliver, and its pauses. */
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { FACTS } from '../domain/interval-codes.ts';
import { millisOf } from '../domain/instants.ts';
import type { Pause } from '../domain/pauses.ts';
import type { FactRange } from './interval-facts.store.ts';

export type OfferedBounds = Pick<BatchExport, 'createdAt' | 'startAt' | 'endAt'>;

/** Range of the intervals among which the reconciler looks for gaps (`findGaps`); the first one ends when the export starts. */
export function offeredFact({ createdAt, startAt, endAt }: OfferedBounds): FactRange {
  return {
    fact: 'offered',
    from: Math.max(millisOf(createdAt), startAt === null ? -Infinity : millisOf(startAt) - 1),
    to: endAt === null ? Infinity : millisOf(endAt),
  };
}

/** Range of a pause's intervals; instants are whole milliseconds, and a pause is half-open. */
export function pausedRange({ pausedAt, unpausedAt }: Pause): FactRange {
  return {
    fact: 'paused',
    from: millisOf(pausedAt) - 1,
    to: unpausedAt === null ? Infinity : millisOf(unpausedAt) - 1,
  };
}

/** Facts that are true of all intervals of an export. */
export function factsOfAll({ redeliverStale, paused }: Pick<BatchExport, 'redeliverStale' | 'paused'>): number {
  return redeliverStale && !paused ? FACTS.redelivered : 0;
}
