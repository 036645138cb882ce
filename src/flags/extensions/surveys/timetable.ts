/** The part of a survey that depends on time: whether it runs, its current repetition, and the percentage of persons who are asked. */
import { isoMicros } from '../../../platform/time/iso.ts';
import { samplingAt, type Sampling } from './sampling.ts';

const DAY_MS = 86_400_000;

/** Fields of a survey's row; instants are ISO text. */
export type Timetable = Sampling & {
  start_date: string | null;
  end_date: string | null;
  archived: boolean;
  /** Total number of repetitions; null or 0 if it is not repeated. */
  iteration_count: number | null;
  iteration_frequency_days: number | null;
};

/** State of a survey at an instant. */
export type SurveyStateAt = {
  /** Whether persons may be asked. */
  is_running: boolean;
  /** Number of the repetition, from 1; null if the survey is not repeated or has not begun. */
  current_iteration: number | null;
  /** End that was set, or the end of the last repetition once it has passed. */
  end_date: string | null;
  /** Percentage of persons who are asked. */
  rollout_percentage: number;
  /** When the state changes next; null: never automatically. */
  due_at: string | null;
};

/** @param now milliseconds since 1970 */
export function stateAt(survey: Timetable, now: number): SurveyStateAt {
  const { start_date, end_date, archived } = survey;
  const [start, given, lastEnd] = [start_date, end_date, endOfIterations(survey)].map(instantOf);
  const idle = { is_running: false, current_iteration: null, end_date, rollout_percentage: 100, due_at: null };
  if (start === undefined) return idle;
  if (now < start) return { ...idle, due_at: archived ? null : start_date };
  const end = Math.min(given ?? Infinity, lastEnd ?? Infinity);
  const iteration = iterationAt(survey, start, Math.min(now, end));
  const hasEnded = now >= end;
  const sampled = samplingAt(survey, now);
  return {
    is_running: !archived && !hasEnded,
    current_iteration: iteration?.number ?? null,
    end_date: hasEnded && end !== given ? isoOf(end) : end_date,
    rollout_percentage: sampled?.percentage ?? 100,
    due_at: archived || hasEnded ? null : isoOf(Math.min(end, iteration?.until ?? end, sampled?.until ?? end)),
  };
}

/** Starts of all repetitions; the first is the survey's. Empty if the survey is not repeated or has no start. */
export function iterationStarts({ start_date, ...survey }: Timetable): string[] {
  const period = periodOf(survey);
  if (period === undefined || start_date === null) return [];
  const first = Date.parse(start_date);
  return Array.from({ length: survey.iteration_count ?? 0 }, (_, index) => isoOf(first + index * period)!);
}

type Repetition = Pick<Timetable, 'iteration_count' | 'iteration_frequency_days'>;

/** @returns milliseconds between repetitions; undefined if the survey is not repeated */
function periodOf({ iteration_count, iteration_frequency_days }: Repetition): number | undefined {
  return iteration_count && iteration_frequency_days ? iteration_frequency_days * DAY_MS : undefined;
}

function endOfIterations(survey: Timetable): string | null {
  const period = periodOf(survey);
  if (period === undefined || survey.start_date === null) return null;
  return isoOf(Date.parse(survey.start_date) + survey.iteration_count! * period);
}

function iterationAt(survey: Timetable, start: number, at: number): { number: number; until: number } | undefined {
  const period = periodOf(survey);
  if (period === undefined) return undefined;
  const number = Math.min(Math.max(Math.floor((at - start) / period) + 1, 1), survey.iteration_count!);
  return { number, until: start + number * period };
}

function instantOf(iso: string | null | undefined): number | undefined {
  return iso == null ? undefined : Date.parse(iso);
}

/** ISO text with microseconds, as in Postgres. @returns null for infinity */
export function isoOf(ms: number): string | null {
  return Number.isFinite(ms) ? isoMicros(ms) : null;
}
