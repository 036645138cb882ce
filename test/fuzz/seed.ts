/** The objects that the operations of a fuzzed server work on: one of every kind, and a valid request of each operation. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { linkStore } from '../../src/people/accounts/links.store.ts';
import type { DescribedRoute } from '../../src/platform/http/route.ts';
import { nameOf, OPERATIONS, placeOf } from '../authorization/operations/operations.ts';
import type { Body, Workplace } from '../authorization/operations/workplace.ts';
import { buildRole } from '../support/api/members.ts';

/** One valid request, as far as the document does not say it already. */
export type Example = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
};

const TREND = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }] };
const LOCAL = () => ({ type: 'LocalFile', config: { directory: randomUUID() } });
const PASSWORD = 'open sesame';
const HOUR = { data_interval_start: '2015-05-17T10:00:00Z', data_interval_end: '2015-05-17T11:00:00Z' };

/** Objects by the path that finds them. */
type Seeds = { ids: ReadonlyMap<string, string>; token: string; locked: string; eventStream: string };

export async function seed(at: Workplace, url: string): Promise<(route: DescribedRoute) => Promise<Example>> {
  const seeds = await buildSeeds(at, url);
  return (route) => exampleFor(route, at, seeds);
}

async function buildSeeds(at: Workplace, url: string): Promise<Seeds> {
  const { db, ours, colleague } = at;
  const idOf = async (path: string, body: Body) => String((await at.send('POST', path, body))['id']);
  await send(`${url}/batch/`, {
    api_key: ours.apiToken,
    batch: [
      { event: 'bought', distinct_id: 'user-1', properties: { $set: { plan: 'free' }, $groups: { company: 'acme' } } },
      { event: '$groupidentify', distinct_id: 'user-1', properties: { $group_type: 'company', $group_key: 'acme' } },
    ],
  });
  const person = (await db('persons').where({ project_id: ours.projectId }).first('id')) as { id: string };
  const event = (await db('events').where({ project_id: ours.projectId }).first('uuid')) as { uuid: string };
  const dashboard = await idOf('/dashboards/', { name: 'Seed', tiles: [{ text: { body: 'Hello' } }] });
  const insight = await idOf('/insights/', { name: 'Seed', query: TREND });
  const flag = await idOf('/feature_flags/', { key: 'seed', name: 'Seed', filters: { groups: [{}] } });
  const batchExport = await idOf('/batch_exports/', {
    name: 'Seed',
    interval: 'hour',
    paused: true,
    destination: LOCAL(),
  });
  const run = randomUUID();
  const workflow = { workflow_id: batchExport, workflow_run_id: randomUUID() };
  const ofExport = { project_id: ours.projectId, batch_export_id: batchExport, ...workflow };
  await db('batch_export_runs').insert({
    id: run,
    ...ofExport,
    ...HOUR,
    kind: 'scheduled',
    status: 'Completed',
  } as never);
  const backfill = await at.send('POST', `/batch_exports/${batchExport}/backfills/`, {
    start_at: HOUR.data_interval_start,
    end_at: HOUR.data_interval_end,
  });
  const erasure = await at.send('POST', '/persons/bulk_delete/', { distinct_ids: ['erased'], delete_events: true });
  const shared = await at.send('PATCH', `/dashboards/${dashboard}/sharing/`, { enabled: true });
  const launched = { name: 'Launched', feature_flag_key: 'seed-experiment', start_date: '2026-01-01T00:00:00Z' };
  const remote = { key: 'seed-config', name: '', is_remote_configuration: true };
  await idOf('/feature_flags/', {
    ...remote,
    filters: { groups: [{ rollout_percentage: 100 }], payloads: { true: '1' } },
  });
  const locked = await idOf('/dashboards/', { name: 'Locked' });
  const lock = await at.send('PATCH', `/dashboards/${locked}/sharing/`, { enabled: true, password_required: true });
  await at.send('POST', `/dashboards/${locked}/sharing/passwords/`, { raw_password: PASSWORD });
  const invite = await at.invite(`${randomUUID()}@example.com`);
  const session = { ...(await at.session()), 'Content-Type': 'application/json' };
  const key = await send(
    `${url}/api/personal_api_keys/`,
    { label: 'Seed', scopes: ['dashboard:read'], scoped_teams: [], scoped_organizations: [] },
    session,
  );
  const secret = await send(
    `${url}/api/projects/${ours.projectId}/project_secret_api_keys/`,
    { label: 'Seed', scopes: ['feature_flag:read'] },
    session,
  );
  const evaluated = await send(
    `${url}/ofrep/v1/evaluate/flags`,
    { context: { targetingKey: 'user-1' } },
    { Authorization: `Bearer ${ours.apiToken}`, 'Content-Type': 'application/json' },
  );
  const [stream] = evaluated['eventStreams'] as { url: string }[];
  const ids = new Map<string, string>([
    ['/persons/', person.id],
    ['/erasures/', String(erasure['id'])],
    ['/events/', event.uuid],
    ['/dashboards/', dashboard],
    ['/insights/', insight],
    ['/feature_flags/', flag],
    ['/ofrep/v1/evaluate/flags/', 'seed'],
    ['/cohorts/', await idOf('/cohorts/', { name: 'Seed', is_static: true })],
    [
      '/surveys/',
      await idOf('/surveys/', { name: 'Seed', type: 'popover', questions: [{ type: 'open', question: '?' }] }),
    ],
    ['/experiments/', await idOf('/experiments/', launched)],
    ['/experiment_holdouts/', await idOf('/experiment_holdouts/', { name: 'Seed', filters: [{ properties: [], rollout_percentage: 10 }] })], // prettier-ignore
    ['/early_access_feature/', await idOf('/early_access_feature/', { name: 'Early', stage: 'beta' })],
    ['/integrations/', await idOf('/integrations/', { kind: 'aws-s3', config: { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'x' } })], // prettier-ignore
    ['/batch_exports/', batchExport],
    ['/app_metrics/', batchExport],
    ['/runs/', run],
    ['/backfills/', String(backfill['backfill_id'])],
    ['/roles/', await buildRole(db, ours)],
    ['/members/', colleague.uuid],
    ['/invites/', String(invite['id'])],
    ['/api/signup/', /signup\/([\w-]+)/.exec(String(invite['link']))?.[1] ?? ''],
    ['/api/reset/', await linkStore(db).create('reset', ours.userId)],
    ['/api/personal_api_keys/', String(key['id'])],
    ['/project_secret_api_keys/', String(secret['id'])],
    ['/api/projects/', String(ours.projectId)],
    ['/api/environments/', String(ours.projectId)],
    ['/static/', 'array.js'],
    ['/array/', ours.apiToken],
    ...(['/shared/', '/embedded/', '/shared_dashboard/'] as const).map((door) => [door, String(shared['access_token'])] as const), // prettier-ignore
  ]);
  const eventStream = new URL(stream!.url).searchParams.get('token') ?? '';
  return { ids, token: ours.apiToken, locked: String(lock['access_token']), eventStream };
}

async function exampleFor(route: DescribedRoute, at: Workplace, seeds: Seeds): Promise<Example> {
  const operation = OPERATIONS[placeOf(route)][nameOf(route)];
  if (operation && !('public' in route.access && route.path.startsWith('/batch'))) {
    const { params, query, body } = await operation(at);
    return { params: { ...params }, body, query: Object.fromEntries(new URLSearchParams(query)) };
  }
  const named = [...route.path.matchAll(/([^:]*\/):(\w+)/g)];
  const params = Object.fromEntries(
    named.flatMap(([, before = '', name = '']) => {
      const id = [...seeds.ids]
        .filter(([place]) => before.endsWith(place))
        .sort((a, b) => b[0].length - a[0].length)[0];
      return id ? [[name, id[1]]] : [];
    }),
  );
  if (route.path.endsWith('/remote_config/')) return { params: { key: 'seed-config' }, query: { token: seeds.token } };
  if (nameOf(route) === 'GET /api/personal_api_keys/:id/') return { params: { id: '@current' } };
  if (nameOf(route).startsWith('POST /') && /^\/(shared|embedded)/.test(route.path)) {
    return { params: { token: seeds.locked }, body: { password: PASSWORD } };
  }
  return { params, ...(await restOf(route, seeds)) };
}

/** Of what only reads. */
async function restOf(
  { method, path }: DescribedRoute,
  { token, eventStream }: Seeds,
): Promise<Omit<Example, 'params'>> {
  const name = `${method} ${path}`;
  const draft = { name: 'Draft', interval: 'hour', destination: LOCAL() };
  const captured = { api_key: token, event: 'bought', distinct_id: 'user-2', properties: { cups: 2 } };
  const { api_key: _, ...event } = captured;
  const bodies: Readonly<Record<string, unknown>> = {
    'post /i/v1/analytics/events/': { batch: [{ ...event, uuid: '0193a5d2-7b4e-7c21-9d3e-2f6a8b9c0d1e' }] },
    'post /batch_exports/run_test_step_new/': { ...draft, step: 0 },
    'post /batch_exports/:id/run_test_step/': { step: 0 },
    'post /batch_exports/preview/': draft,
    'post /batch_exports/:id/preview/': {},
    'post /feature_flags/evaluate/': { flag: 'seed', distinct_id: 'user-1' },
    'post /feature_flags/user_blast_radius/': { condition: { properties: [] } },
    'post /query/': { query: TREND },
    'post /flags/': { api_key: token, distinct_id: 'user-1' },
    'post /decide/': { api_key: token, distinct_id: 'user-1' },
  };
  if (path.startsWith('/ofrep/') && method === 'post') return { body: { context: { targetingKey: 'user-1' } } };
  if (path.startsWith('/ofrep/')) return { query: { token: eventStream } };
  if (name in bodies) return { body: bodies[name] };
  if (/^\/(capture|e|track|engage|batch|i)\//.test(path)) {
    return method === 'post' ? { body: captured } : { query: { data: JSON.stringify(captured) } };
  }
  const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'get /batch_exports/test/': { destination: 'LocalFile' },
    'get /groups/': { group_type_index: '0' },
    'get /groups/find/': { group_type_index: '0', group_key: 'acme' },
    'get /feature_flags/evaluation_reasons/': { distinct_id: 'user-1' },
  };
  return { query: queries[name] ?? { token } };
}

async function send(address: string, body: Body, headers: Record<string, string> = {}): Promise<Body> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${address}: ${answer.status} ${text}`);
  return JSON.parse(text) as Body;
}
