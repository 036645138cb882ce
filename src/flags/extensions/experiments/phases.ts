/** Phases of an experiment. They are not stored, but computed from its two dates and the current time. */
import { isoMicros } from '../../../platform/time/iso.ts';

/** Upstream's statuses, and `scheduled`, which upstream counts as running. */
export const PHASES = ['draft', 'scheduled', 'running', 'stopped'] as const;
export type Phase = (typeof PHASES)[number];

/** Names of phases in queries. `complete` is upstream's older name for `stopped`, `ended` that of this server. */
export const PHASE_NAMES = [...PHASES, 'complete', 'ended', 'all'] as const;

/** @returns undefined for all phases */
export function parsePhase(name: (typeof PHASE_NAMES)[number] | undefined): Phase | undefined {
  if (name === 'complete' || name === 'ended') return 'stopped';
  return name === 'all' ? undefined : name;
}

/** ISO text with microseconds, in UTC, or null. */
export type Dates = { start_date: string | null; end_date: string | null };

/** @param now milliseconds since 1970 */
export function phaseOf({ start_date: start, end_date: end }: Dates, now = Date.now()): Phase {
  if (start === null) return 'draft';
  const nowIso = isoMicros(now);
  if (end !== null && end <= nowIso) return 'stopped';
  return start > nowIso ? 'scheduled' : 'running';
}

/** Whether an experiment is launched and has not ended. From before its start until its end it needs its flag unchanged. */
export function isOpen(dates: Dates, now = Date.now()): boolean {
  return ['scheduled', 'running'].includes(phaseOf(dates, now));
}

/** Advice in errors about a scheduled experiment, which can neither be changed nor be ended before it has begun. */
export const UNSCHEDULE_ADVICE =
  'Send `start_date: null` to the experiment first, which makes it a draft again and leaves the flag on.';

/** `phaseOf` as SQL conditions, which are true or false for every row, never null. */
export const PHASE_CONDITIONS: Record<Phase, string> = {
  draft: 'start_date is null',
  scheduled: '(start_date > now()) is true and (end_date > now()) is not false',
  running: '(start_date <= now()) is true and (end_date > now()) is not false',
  stopped: 'start_date is not null and (end_date <= now()) is true',
};
