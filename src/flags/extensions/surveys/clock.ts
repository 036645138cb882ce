/**
 * Changes surveys by time: they start and end at their dates, repeat, and end or pause when they have enough
 * answers. Every process of the API has a clock; if two make the same change at once, it is made once.
 */
import { NotFound } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { ResponseStore } from './responses.store.ts';
import { samplingAt } from './sampling.ts';
import type { DueSurvey, SurveyStore } from './surveys.store.ts';
import type { Surveys } from './surveys.ts';
import { isoOf } from './timetable.ts';

const EVERY_MS = 10_000;

export type SurveyClock = {
  /** Looks once at all that may be due. Never rejects. */
  tick(): Promise<void>;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
};

type Options = {
  surveys: Surveys;
  store: Pick<SurveyStore, 'dueSurveys'>;
  responses: ResponseStore;
  log: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
};

export function createSurveyClock({ surveys, store, responses, log, now = Date.now }: Options): SurveyClock {
  let ticking: Promise<void> | undefined;

  async function catchUp(survey: DueSurvey): Promise<void> {
    const { id, project_id: projectId, organization_id: organizationId, start_date, responses_limit: limit } = survey;
    const full = limit !== null && (await hasAnswers(survey, limit, start_date));
    const pausedUntil = await endOfFullInterval(survey);
    if (!survey.is_due && !full && pausedUntil === undefined) return;
    await surveys.catchUp({ id: projectId, organizationId }, id, { full, pausedUntil });
  }

  async function endOfFullInterval(survey: DueSurvey): Promise<number | undefined> {
    const sampled = samplingAt(survey, now());
    if (!sampled || sampled.percentage === 0) return undefined;
    const { from, until } = sampled.interval;
    return (await hasAnswers(survey, survey.response_sampling_limit!, isoOf(from))) ? until : undefined;
  }

  async function hasAnswers({ id, project_id: projectId }: DueSurvey, limit: number, since: string | null) {
    const answers = await responses.answers(projectId, [id], since);
    return (answers.get(id) ?? 0) >= limit;
  }

  async function lookOnce(): Promise<void> {
    for (const survey of await store.dueSurveys()) {
      await catchUp(survey).catch((error: unknown) => {
        if (error instanceof NotFound) return;
        log.warn({ surveyId: survey.id, err: error }, 'a survey could not be kept up with time');
      });
    }
  }

  function tick(): Promise<void> {
    ticking ??= lookOnce()
      .catch((error: unknown) => log.warn({ err: error }, 'surveys that are due could not be read'))
      .finally(() => (ticking = undefined));
    return ticking;
  }

  const timer = setInterval(() => void tick(), EVERY_MS);
  timer.unref();
  return {
    tick,
    async stop() {
      clearInterval(timer);
      await ticking;
    },
  };
}
