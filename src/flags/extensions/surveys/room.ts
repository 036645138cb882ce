/** Assembles the API of surveys: their management, statistics, and their list for web pages. */
import type { Route } from '../../../platform/http/route.ts';
import type { LiveDefinitions } from '../../definitions/live-definitions.ts';
import type { FlagStores } from '../../stores.ts';
import { publishedSurveyRoutes, publishedSurveys, type PublishedSurveysApi } from './published.routes.ts';
import { surveyResponseRoutes, type SurveyResponsesApi } from './responses.routes.ts';
import type { ResponseStore } from './responses.store.ts';
import { surveyRoutes, type SurveysApi as ManagementApi } from './surveys.routes.ts';
import { surveys } from './surveys.ts';

export type SurveysApi = ManagementApi & SurveyResponsesApi & PublishedSurveysApi;

export const surveysApiRoutes: readonly Route<SurveysApi>[] = [
  ...publishedSurveyRoutes,
  // Must precede `surveyRoutes`, because `stats` and `responses_count` would match `:id`.
  ...surveyResponseRoutes,
  ...surveyRoutes,
];

type Options = {
  stores: FlagStores;
  responses: ResponseStore;
  definitions: Pick<LiveDefinitions, 'find'>;
  /** Milliseconds since 1970. */
  now?: () => number;
};

export function surveysApi({ stores, responses, definitions, now = Date.now }: Options): SurveysApi {
  return {
    surveys: surveys({ stores, now }),
    surveyResponses: responses,
    surveyRows: stores.surveys,
    publishedSurveys: publishedSurveys(definitions, stores.surveys),
  };
}
