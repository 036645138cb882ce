/** Feature flags over a started Sluice: requests about one project, with a key that may do everything. */
import type { ApiAnswer } from './api.ts';
import { answerCheck } from './documented.ts';
import { featureFlagsApiRoutes } from '../../../src/flags/feature-flags/room.ts';
import { buildPersonalKey, buildTenant, type Tenant } from './identity.ts';
import { startSluice, type Sluice } from '../servers/sluice.ts';

export type Body = Record<string, unknown>;
export type Flag = Body & { id: number; key: string; version: number; filters: Body };
export type Refusal = { type: string; code: string; detail: string; attr: string | null };

export type FlagsApi = {
  sluice: Sluice;
  ours: Tenant;
  theirs: Tenant;
  /** Key of our user, with all scopes. */
  key: string;
  /** Sends a request; a path without `/api` is relative to our project's `/feature_flags/`. */
  request(method: string, path: string, body?: unknown, options?: { key?: string; headers?: Body }): Promise<ApiAnswer>;
  /** Creates a flag; fails unless the answer is 201. */
  create(flag?: Body): Promise<Flag>;
  stop(): Promise<void>;
};

const checkAnswer = answerCheck(featureFlagsApiRoutes);

export async function startFlagsApi(): Promise<FlagsApi> {
  const sluice = await startSluice();
  const [ours, theirs] = [await buildTenant(sluice.db), await buildTenant(sluice.db)];
  const key = await buildPersonalKey(sluice.db, ours, '*');
  let made = 0;

  const request: FlagsApi['request'] = async (method, path, body, options = {}) => {
    const address = path.startsWith('/api') ? path : `/api/projects/${ours.projectId}/feature_flags/${path}`;
    const answer = await fetch(sluice.url + address, {
      method,
      headers: {
        ...(options.key !== '' && { Authorization: `Bearer ${options.key ?? key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(options.headers as Record<string, string>),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? '' : (JSON.parse(text) as unknown),
    };
    checkAnswer(method, address.replace('/@current/', '/1/'), parsed);
    return parsed;
  };

  return {
    sluice,
    ours,
    theirs,
    key,
    request,
    async create(flag = {}) {
      const { status, body } = await request('POST', '', { key: `flag-${++made}`, ...flag });
      if (status !== 201) throw new Error(`A flag was not made: ${JSON.stringify(body)}`);
      return body as Flag;
    },
    stop: () => sluice.stop(),
  };
}

/** Filters of one condition set with these conditions. */
export function filtersWith(...properties: Body[]): Body {
  return { groups: [{ properties, rollout_percentage: 100 }] };
}

/** Filters that match persons for whom other flags have this value. */
export function filtersOnFlags(ids: readonly (number | string)[], value: unknown = true): Body {
  return filtersWith(...ids.map((id) => ({ type: 'flag', key: String(id), operator: 'flag_evaluates_to', value })));
}
