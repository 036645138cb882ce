/** Data intervals whose source has expired: events of which they are made are hidden, or gone. */
import { sourceExpiredError, sourceStartOf } from '../../events/reading/source-start.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { contentOf } from '../batch-exports/content.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { endOfIntervalAt, intervalEndingAt, type Tiling } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import type { FactRange } from './interval-facts.store.ts';

export type ExpiringExport = Pick<BatchExport, 'retainedFrom' | 'model' | 'content' | 'destinationConfig'>;

/** First instant at which a data interval may begin that can still be delivered; -Infinity while all of them can. */
export function sourceStartOfExport({ retainedFrom, ...described }: ExpiringExport): Millis {
  const start = retainedFrom === null ? null : sourceStartOf(contentOf(described), retainedFrom);
  return start === null ? -Infinity : millisOf(start);
}

/** @param attr the field that names the interval @throws InvalidInput when rows of an interval that begins then may be gone */
export function assertInSource(batchExport: ExpiringExport, start: Millis, attr: string | null): void {
  const sourceStart = sourceStartOfExport(batchExport);
  if (start < sourceStart) throw sourceExpiredError(isoMicros(sourceStart), attr);
}

/** Range of the intervals whose source has expired in whole or in part. */
export function expiredRange(batchExport: ExpiringExport, tiling: Tiling): FactRange {
  const start = sourceStartOfExport(batchExport);
  const isBoundary = start === -Infinity || intervalEndingAt(tiling, start);
  return { fact: 'expired', from: -Infinity, to: isBoundary ? start : endOfIntervalAt(tiling, start) };
}
