/** Early access features and surveys over a database of their own: their management, and the public answers to pages. */
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { LOOKUP_OPTIONS } from '../../../src/events/table/lookup.ts';
import { createLiveDefinitions } from '../../../src/flags/definitions/live-definitions.ts';
import {
  earlyAccessApi,
  earlyAccessApiRoutes,
  type EarlyAccessApi,
} from '../../../src/flags/extensions/early-access/room.ts';
import { flagStores, type FlagStores } from '../../../src/flags/stores.ts';
import {
  surveysApi,
  surveysApiRoutes,
  type SurveysApi as Collaborators,
} from '../../../src/flags/extensions/surveys/room.ts';
import { responseStore, type ResponseStore } from '../../../src/flags/extensions/surveys/responses.store.ts';
import type { Surveys } from '../../../src/flags/extensions/surveys/surveys.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { createLogger, type Logger } from '../../../src/platform/telemetry/logger.ts';
import { startApi, type Api, type ApiAnswer, type ApiRequest } from './api.ts';
import { createTestDatabase } from '../database/database.ts';
import { answerCheck } from './documented.ts';
import { buildPersonalKey, buildTenant, type Tenant } from './identity.ts';

export type Refusal = { code: string; detail: string; attr: string | null };

export type SurveysApi = {
  api: Api;
  db: Knex;
  databaseUrl: string;
  stores: FlagStores;
  surveys: Surveys;
  responses: ResponseStore;
  log: Logger;
  ours: Tenant;
  theirs: Tenant;
  /** The clock that surveys use, in milliseconds since 1970. */
  now(): number;
  /** Advances the clock. */
  passDays(days: number): void;
  /** Sends a request with our user's key, which has all scopes; the path is relative to our project's. */
  request(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Like `request`, but fails unless the answer is a success. @returns its body */
  done<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Like `request`, but fails unless the answer is a refusal. @returns its body */
  refused(method: string, path: string, body?: unknown): Promise<Refusal>;
  /** The answer to a page with our public key only, once earlier changes have taken effect. */
  getPublic<T>(path: string): Promise<T>;
  close(): Promise<void>;
};

const DAY_MS = 86_400_000;
const routes = [...earlyAccessApiRoutes, ...surveysApiRoutes] as Route<Collaborators & EarlyAccessApi>[];
const checkAnswer = answerCheck(routes);

export async function startSurveysApi(): Promise<SurveysApi> {
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const lookups = createKnex({ url: database.url, ...LOOKUP_OPTIONS });
  const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
  const live = createLiveDefinitions({ databaseUrl: database.url, log });
  const stores = flagStores(db);
  const responses = responseStore(lookups);
  let passed = 0;
  const now = () => Date.now() + passed;
  const collaborators = surveysApi({ stores, responses, definitions: live, now });
  const api = await startApi<Collaborators & EarlyAccessApi>({
    routes,
    collaborators: { ...collaborators, ...earlyAccessApi(stores, live) },
    gatekeeper: createGatekeeper(identityStores(db)),
  });
  const ours = await buildTenant(db);
  const theirs = await buildTenant(db);
  const key = await buildPersonalKey(db, ours, '*');
  async function send(method: string, path: string, sent: ApiRequest): Promise<ApiAnswer> {
    const answer = await api.request(method, path, sent);
    checkAnswer(method, path, answer);
    return answer;
  }

  const request = (method: string, path: string, body?: unknown) =>
    send(method, `/api/projects/${ours.projectId}${path}`, { key, body });

  return {
    api,
    db,
    databaseUrl: database.url,
    stores,
    surveys: collaborators.surveys,
    responses,
    log,
    ours,
    theirs,
    request,
    now,
    passDays: (days) => void (passed += days * DAY_MS),
    done: (method, path, body) => expectStatus(request(method, path, body), (status) => status < 300),
    refused: (method, path, body) => expectStatus(request(method, path, body), (status) => status === 400),
    async getPublic(path) {
      await live.refresh(ours.projectId);
      const token = `${path.includes('?') ? '&' : '?'}token=${ours.apiToken}`;
      return expectStatus(send('GET', path + token, {}), (status) => status === 200);
    },
    async close() {
      await api.stop();
      await live.close();
      await Promise.all([db.destroy(), lookups.destroy()]);
      await database.drop();
    },
  };
}

async function expectStatus<T>(sent: Promise<ApiAnswer>, isRight: (status: number) => boolean): Promise<T> {
  const { status, body } = await sent;
  if (!isRight(status)) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as T;
}
