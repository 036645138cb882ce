/** Phases of an experiment, computed from its two dates and the clock: nothing stores them, and a date in the future has not happened yet. */
import { isoMicros } from '../../../platform/time/iso.ts';

/** Upstream's statuses, and `scheduled`, which upstream counts as running. */
export const PHASES = ['draft', 'scheduled', 'running', 'stopped'] as const;
export type Phase = (typeof PHASES)[number];

/** Names of phases in queries: `complete` is upstream's older name of `stopped`, and `ended` ours. */
export const PHASE_NAMES = [...PHASES, 'complete', 'ended', 'all'] as const;

/** @returns undefined: any phase */
export function phaseNamed(name: (typeof PHASE_NAMES)[number] | undefined): Phase | undefined {
  if (name === 'complete' || name === 'ended') return 'stopped';
  return name === 'all' ? undefined : name;
}

/** ISO text with microseconds, in UTC, or null. */
export type Dates = { start_date: string | null; end_date: string | null };

/** @param now milliseconds since 1970 */
export function phaseOf({ start_date: start, end_date: end }: Dates, now = Date.now()): Phase {
  if (start === null) return 'draft';
  const present = isoMicros(now);
  if (end !== null && end <= present) return 'stopped';
  return start > present ? 'scheduled' : 'running';
}

/** An experiment that is launched and has not stopped needs its flag as it is, from before its start until its end. */
export function isOpen(dates: Dates, now = Date.now()): boolean {
  return ['scheduled', 'running'].includes(phaseOf(dates, now));
}

/** Advice when a scheduled experiment refuses a change: it has not begun, so it cannot be ended either. */
export const UNSCHEDULE_FIRST =
  'Send `start_date: null` to the experiment first, which makes it a draft again and leaves the flag on.';

/** `phaseOf` for Postgres: true or false of every row, never null. */
export const IN_PHASE: Record<Phase, string> = {
  draft: 'start_date is null',
  scheduled: '(start_date > now()) is true and (end_date > now()) is not false',
  running: '(start_date <= now()) is true and (end_date > now()) is not false',
  stopped: 'start_date is not null and (end_date <= now()) is true',
};
