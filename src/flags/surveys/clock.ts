/**
 * What happens to surveys by themselves: they start and end at their dates, come again, and end when they have the answers that they
 * were to have. Every process of the API has a clock; what two of them do at once is done once.
 */
import { NotFound } from '../../errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { ResponseStore } from './responses.store.ts';
import type { DueSurvey, SurveyStore } from './surveys.store.ts';
import type { Surveys } from './surveys.ts';

const EVERY_MS = 10_000;

export type SurveyClock = {
  /** Looks once at all that may be due. Never rejects. */
  tick(): Promise<void>;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
};

type Options = {
  surveys: Surveys;
  store: Pick<SurveyStore, 'due'>;
  responses: ResponseStore;
  log: Logger;
};

export function createSurveyClock({ surveys, store, responses, log }: Options): SurveyClock {
  let ticking: Promise<void> | undefined;

  async function catchUp(survey: DueSurvey): Promise<void> {
    const { id, project_id: projectId, organization_id: organizationId } = survey;
    const full = await isFull(survey);
    if (survey.is_due || full) await surveys.catchUp({ id: projectId, organizationId }, id, { full });
  }

  async function isFull({
    id,
    project_id: projectId,
    responses_limit: limit,
    start_date,
  }: DueSurvey): Promise<boolean> {
    if (limit === null) return false;
    const answers = await responses.answers(projectId, [id], start_date);
    return (answers.get(id) ?? 0) >= limit;
  }

  async function lookOnce(): Promise<void> {
    for (const survey of await store.due()) {
      await catchUp(survey).catch((error: unknown) => {
        if (error instanceof NotFound) return;
        log.warn({ surveyId: survey.id, error: (error as Error).message }, 'a survey could not be kept up with time');
      });
    }
  }

  function tick(): Promise<void> {
    ticking ??= lookOnce()
      .catch((error: unknown) =>
        log.warn({ error: (error as Error).message }, 'surveys that are due could not be read'),
      )
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
