/** How many failures among the last runs are too many, so the export pauses automatically. */
import type { Interval } from './cadence.ts';

/** `failures` or more among the last `runs` runs. */
export type FailureWindow = { runs: number; failures: number };

/**
 * Errors of runs that left a delivery as it was, until a person decides about it. Such errors say nothing about the destination, and after a
 * restore there is one for each data interval since the backup, so they do not stop other deliveries.
 */
export const AWAITING_DECISION: readonly string[] = ['DeliveredElsewhere', 'DeliveryWouldShrink'];

const WINDOWS: Record<string, FailureWindow> = {
  hour: { runs: 24, failures: 12 },
  day: { runs: 7, failures: 4 },
  week: { runs: 4, failures: 2 },
  month: { runs: 4, failures: 2 },
};
/** For intervals shorter than an hour: 10 of them, as upstream has it, are soon over; a window of an hour would be a few runs. */
const SHORT: FailureWindow = { runs: 50, failures: 10 };

/** About half of a day, of a week or of four weeks; `every N minutes` is judged as the named interval that is not longer. */
export function failureWindow(interval: Interval): FailureWindow {
  const named = WINDOWS[interval];
  if (named) return named;
  const minutes = Number(/\d+/.exec(interval)?.[0] ?? 0);
  if (minutes < 60) return SHORT;
  return minutes < 24 * 60 ? WINDOWS['hour']! : WINDOWS['day']!;
}
