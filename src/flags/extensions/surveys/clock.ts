/**
 * Changes surveys as time passes: starts and ends them at their dates, repeats them, and ends or pauses those with enough answers.
 * Every process of the API has such a clock; repeating a change of another process has no effect.
 */
import { NotFound } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { ResponseStore } from './responses.store.ts';
import { samplingAt } from './sampling.ts';
import type { SurveyToCheck, SurveyStore } from './surveys.store.ts';
import type { Surveys } from './surveys.ts';
import { isoOf } from './timetable.ts';

const TICK_MS = 10_000;

export type SurveyClock = {
  /** Updates all surveys that may be due. Never rejects. */
  tick(): Promise<void>;
  /** Stops the clock, and resolves when no update is running. */
  stop(): Promise<void>;
};

type Options = {
  surveys: Surveys;
  store: Pick<SurveyStore, 'listSurveysToCheck'>;
  responses: ResponseStore;
  log: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
};

export function createSurveyClock({ surveys, store, responses, log, now = Date.now }: Options): SurveyClock {
  let currentTick: Promise<void> | undefined;

  async function updateSurvey(survey: SurveyToCheck): Promise<void> {
    const { id, project_id: projectId, organization_id: organizationId, start_date, responses_limit: limit } = survey;
    const isFull = limit !== null && (await hasEnoughAnswers(survey, limit, start_date));
    const pausedUntil = await endOfFullInterval(survey);
    if (!survey.is_due && !isFull && pausedUntil === undefined) return;
    await surveys.catchUp({ id: projectId, organizationId }, id, { isFull, pausedUntil });
  }

  async function endOfFullInterval(survey: SurveyToCheck): Promise<number | undefined> {
    const sampling = samplingAt(survey, now());
    if (!sampling || sampling.percentage === 0) return undefined;
    const { from, until } = sampling.interval;
    return (await hasEnoughAnswers(survey, survey.response_sampling_limit!, isoOf(from))) ? until : undefined;
  }

  async function hasEnoughAnswers({ id, project_id: projectId }: SurveyToCheck, limit: number, since: string | null) {
    const answers = await responses.countAnswers(projectId, [id], since);
    return (answers.get(id) ?? 0) >= limit;
  }

  async function updateSurveys(): Promise<void> {
    for (const survey of await store.listSurveysToCheck()) {
      await updateSurvey(survey).catch((error: unknown) => {
        if (error instanceof NotFound) return;
        log.warn({ surveyId: survey.id, err: error }, 'a due survey could not be updated');
      });
    }
  }

  function tick(): Promise<void> {
    currentTick ??= updateSurveys()
      .catch((error: unknown) => log.warn({ err: error }, 'due surveys could not be read'))
      .finally(() => (currentTick = undefined));
    return currentTick;
  }

  const timer = setInterval(() => void tick(), TICK_MS);
  timer.unref();
  return {
    tick,
    async stop() {
      clearInterval(timer);
      await currentTick;
    },
  };
}
