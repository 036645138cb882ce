/** Experiments over a database of their own, with their flags and with what capture stored. */
import { createKnex, createPool, type Knex } from '../../../src/platform/db/connection.ts';
import { experimentsApi, experimentsApiRoutes } from '../../../src/flags/extensions/experiments/room.ts';
import { RESULTS_POOL } from '../../../src/flags/extensions/experiments/results/results.store.ts';
import { flagStores, type FlagStores } from '../../../src/flags/stores.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { startApi, type Api, type ApiAnswer } from './api.ts';
import { createTestDatabase } from '../database/database.ts';
import { answerCheck } from './documented.ts';
import { buildPersonalKey, buildTenant, type Tenant } from './identity.ts';

export type Refusal = { code: string; detail: string; attr: string | null };

export type ExperimentsApi = {
  api: Api;
  db: Knex;
  databaseUrl: string;
  stores: FlagStores;
  ours: Tenant;
  theirs: Tenant;
  /** Sends a request with our user's key, which has all scopes; the path is relative to our project's. */
  request(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Like `request`, but fails unless the answer is a success. @returns its body */
  done<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Like `request`, but fails unless the answer is a refusal. @returns its body */
  refused(method: string, path: string, body?: unknown): Promise<Refusal>;
  /** Advances the clock that decides when results are outdated. */
  pass(milliseconds: number): void;
  close(): Promise<void>;
};

const checkAnswer = answerCheck(experimentsApiRoutes);

export async function startExperimentsApi(): Promise<ExperimentsApi> {
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const pool = createPool({ url: database.url, ...RESULTS_POOL });
  const stores = flagStores(db);
  let passed = 0;
  const api = await startApi({
    routes: experimentsApiRoutes,
    collaborators: experimentsApi({ stores, pool, now: () => Date.now() + passed }),
    gatekeeper: createGatekeeper(identityStores(db)),
  });
  const ours = await buildTenant(db, { historicalFromProjectKey: true });
  const theirs = await buildTenant(db, { historicalFromProjectKey: true });
  const key = await buildPersonalKey(db, ours, '*');
  async function request(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const address = `/api/projects/${ours.projectId}${path}`;
    const answer = await api.request(method, address, { key, body });
    checkAnswer(method, address, answer);
    return answer;
  }

  return {
    api,
    db,
    databaseUrl: database.url,
    stores,
    ours,
    theirs,
    request,
    done: (method, path, body) => expectStatus(request(method, path, body), (status) => status < 300),
    refused: (method, path, body) => expectStatus(request(method, path, body), (status) => status === 400),
    pass: (milliseconds) => void (passed += milliseconds),
    async close() {
      await api.stop();
      await Promise.all([db.destroy(), pool.end()]);
      await database.drop();
    },
  };
}

async function expectStatus<T>(sent: Promise<ApiAnswer>, isRight: (status: number) => boolean): Promise<T> {
  const { status, body } = await sent;
  if (!isRight(status)) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as T;
}
