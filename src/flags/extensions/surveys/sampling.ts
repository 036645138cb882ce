/** Sampling of surveys with a number of answers per interval. The percentage of persons who are asked grows each day of an interval. */

const DAY_MS = 86_400_000;
const DAYS = { day: 1, week: 7, month: 30 };

/** Fields of a survey's row. */
export type Sampling = {
  /** ISO text. */
  response_sampling_start_date: string | null;
  response_sampling_interval_type: keyof typeof DAYS | null;
  response_sampling_interval: number | null;
  /** Number of answers per interval; null or 0 for no limit. */
  response_sampling_limit: number | null;
  /** ISO text: end of an interval that has enough answers already. */
  sampling_paused_until: string | null;
};

/** Sampling at an instant; times are milliseconds since 1970. */
export type SamplingState = {
  /** Current interval, half-open; before the first one it is empty, at its start. */
  interval: { from: number; until: number };
  /** Percentage of persons who are asked. */
  percentage: number;
  /** When the percentage changes next. */
  until: number;
};

/** @returns undefined for a survey without sampling */
export function samplingAt(survey: Sampling, now: number): SamplingState | undefined {
  const days = DAYS[survey.response_sampling_interval_type ?? 'day'] * (survey.response_sampling_interval ?? 0);
  if (!days || !survey.response_sampling_limit || survey.response_sampling_start_date === null) return undefined;
  const start = Date.parse(survey.response_sampling_start_date);
  if (now < start) return { interval: { from: start, until: start }, percentage: 0, until: start };
  const from = start + Math.floor((now - start) / (days * DAY_MS)) * days * DAY_MS;
  const interval = { from, until: from + days * DAY_MS };
  const paused = survey.sampling_paused_until === null ? 0 : Date.parse(survey.sampling_paused_until);
  if (now < paused) return { interval, percentage: 0, until: paused };
  const day = Math.floor((now - from) / DAY_MS) + 1;
  return { interval, percentage: Math.round((day / days) * 10_000) / 100, until: from + day * DAY_MS };
}
