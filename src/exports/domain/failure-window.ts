/** Limits of failures among an export's last runs, beyond which the export is paused automatically. */
import type { Interval } from './cadence.ts';

/** `failures` or more among the last `runs` runs. */
export type FailureWindow = { runs: number; failures: number };

/**
 * Errors of runs that left a delivery unchanged until a person decides about it. They do not count towards a pause: they say nothing about
 * the destination, and a restore causes one for each data interval since the backup.
 */
export const AWAITING_DECISION: readonly string[] = ['DeliveredElsewhere', 'DeliveryWouldShrink'];

const WINDOWS: Record<string, FailureWindow> = {
  hour: { runs: 24, failures: 12 },
  day: { runs: 7, failures: 4 },
  week: { runs: 4, failures: 2 },
  month: { runs: 4, failures: 2 },
};
/** Window for intervals shorter than an hour. Upstream's window of 10 runs would be too short for them. */
const SHORT_INTERVALS: FailureWindow = { runs: 50, failures: 10 };

/**
 * A window allows about half of its runs to fail: of a day, a week, four weeks or four months. `every N minutes` uses the window of the
 * longest named interval that is no longer than N minutes, if any.
 */
export function failureWindow(interval: Interval): FailureWindow {
  const named = WINDOWS[interval];
  if (named) return named;
  const minutes = Number(/\d+/.exec(interval)?.[0] ?? 0);
  if (minutes < 60) return SHORT_INTERVALS;
  return minutes < 24 * 60 ? WINDOWS['hour']! : WINDOWS['day']!;
}
