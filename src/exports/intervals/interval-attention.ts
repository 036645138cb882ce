/** Explains why a data interval needs a person, or when Sluice will retry it. */
import { isoMicros, millisOf } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import { isOpen, retryDelay } from '../domain/statuses.ts';
import { presentError, type RunErrorBody } from '../faults/run-error.ts';
import type { FactRange, NewestRun } from './interval-facts.store.ts';

export const REASONS = [
  'delivered_elsewhere',
  'unsettled',
  'gave_up',
  'would_shrink',
  'failed',
  'not_retried',
] as const;
export type Reason = (typeof REASONS)[number];

/** Reasons by class of error, for the errors in `AWAITING_DECISION`, which left a delivery unchanged. */
const DECISIONS: Readonly<Record<string, Reason>> = {
  DeliveredElsewhere: 'delivered_elsewhere',
  DeliveryWouldShrink: 'would_shrink',
};

/** Id and error of an interval's newest run. */
type RunOutcome = { detail: string | null; error: RunErrorBody; runId: string | null };
export type NeedsYou = DataInterval & RunOutcome & { reason: Reason };
export type Retrying = DataInterval & RunOutcome & { nextTryAt: string | null };

/** @param ranges facts about the interval, and perhaps about others */
export function explainNeed(
  interval: DataInterval,
  ranges: readonly FactRange[],
  run: NewestRun | undefined,
): NeedsYou {
  return { ...interval, reason: reasonOf(interval, ranges, run), ...outcomeOf(run) };
}

function outcomeOf(run: NewestRun | undefined): RunOutcome {
  return { detail: run?.latestError ?? null, error: run ? presentError(run) : null, runId: run?.runId ?? null };
}

function reasonOf({ end }: DataInterval, ranges: readonly FactRange[], run: NewestRun | undefined): Reason {
  const has = (fact: FactRange['fact']) => ranges.some((one) => one.fact === fact && one.from < end && end <= one.to);
  if (has('foreign')) return 'delivered_elsewhere';
  if (has('unsettled')) return 'unsettled';
  if (has('gave_up')) return 'gave_up';
  const decision = run?.errorType && DECISIONS[run.errorType];
  return decision || (run?.status === 'Failed' ? 'failed' : 'not_retried');
}

/** @param isGap whether the export should deliver the interval; other intervals are retried only if they are stale */
export function explainRetry(interval: DataInterval, run: NewestRun | undefined, isGap: boolean): Retrying {
  return { ...interval, ...outcomeOf(run), nextTryAt: nextTryAt(run, isGap) };
}

function nextTryAt(run: NewestRun | undefined, isGap: boolean): string | null {
  if (!run) return null;
  // The run itself tries again.
  if (isOpen(run.status)) return run.nextTryAt;
  if (!isGap) return run.redeliveryAt;
  return run.finishedAt && isoMicros(millisOf(run.finishedAt) + retryDelay(run.failures));
}
