/** Cohorts over a started Sluice: requests about one project, with a key that may do everything. */
import assert from 'node:assert/strict';
import { cohortsApiRoutes } from '../../../src/flags/cohorts/room.ts';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import type { ApiAnswer } from './api.ts';
import { answerCheck } from './documented.ts';
import { buildPersonalKey, buildTenant, type Tenant } from './identity.ts';
import { startSluice, type Sluice } from '../servers/sluice.ts';

export type Body = Record<string, unknown>;
export type Cohort = Body & { id: number; count: number | null; filters: Body; listed?: Body };

export type CohortsApi = {
  sluice: Sluice;
  ours: Tenant;
  theirs: Tenant;
  key: string;
  /** Sends a request; a path without `/api` or `/batch` is relative to our project's `/cohorts/`. A text body is sent as CSV. */
  request(method: string, path: string, body?: unknown, key?: string): Promise<ApiAnswer>;
  /** Like `request`, but fails unless the answer is a success. @returns its body */
  done<T = Cohort>(method: string, path: string, body?: unknown): Promise<T>;
  /** Creates a cohort of the persons that match all of the conditions. */
  create(name: string, ...conditions: Body[]): Promise<Cohort>;
  capture(...events: Body[]): Promise<void>;
  /** The id of the person that has this distinct id. */
  personOf(distinctId: string): string;
  stop(): Promise<void>;
};

const checkAnswer = answerCheck(cohortsApiRoutes);

export async function startCohortsApi(): Promise<CohortsApi> {
  const sluice = await startSluice();
  const [ours, theirs] = [await buildTenant(sluice.db), await buildTenant(sluice.db)];
  const ownKey = await buildPersonalKey(sluice.db, ours, '*');

  const request: CohortsApi['request'] = async (method, path, body, key = ownKey) => {
    const address = /^\/(api|batch)/.test(path) ? path : `/api/projects/${ours.projectId}/cohorts/${path}`;
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const isForm = body instanceof FormData;
    const answer = await fetch(sluice.url + address, {
      method,
      headers: {
        ...(key !== '' && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && !isForm && { 'Content-Type': type }),
      },
      ...(body !== undefined && { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = { status: answer.status, headers: answer.headers, body: JSON.parse(text || '""') as unknown };
    if (address.includes('/cohorts/')) checkAnswer(method, address, parsed);
    return parsed;
  };

  const done: CohortsApi['done'] = async <T>(method: string, path: string, body?: unknown) => {
    const answer = await request(method, path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body as T;
  };

  return {
    sluice,
    ours,
    theirs,
    key: ownKey,
    request,
    done,
    create: (name, ...values) => done('POST', '', { name, filters: { properties: { type: 'AND', values } } }),
    async capture(...batch) {
      await done('POST', '/batch/', { api_key: ours.apiToken, batch });
    },
    personOf: (distinctId) => personIdOf(ours.projectId, distinctId),
    stop: () => sluice.stop(),
  };
}

/** A condition on a property of persons. */
export function has(key: string, value: unknown, more: Body = {}): Body {
  return { type: 'person', key, value, operator: 'exact', ...more };
}

/** A condition on being in another cohort. */
export function isIn(value: unknown, more: Body = {}): Body {
  return { type: 'cohort', key: 'id', value, operator: 'in', ...more };
}

/** A form as browsers send it, in this order of fields. */
export function buildForm(fields: Readonly<Record<string, string>>): FormData {
  const built = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'csv') built.append(name, new Blob([value], { type: 'text/csv' }), 'persons.csv');
    else built.append(name, value);
  }
  return built;
}
