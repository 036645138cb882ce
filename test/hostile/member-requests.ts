/**
 * Requests that a member's key may send, and what everybody may ask of a project in which a member stored as much as is taken: those that
 * store come before those that read.
 */
import { askingRequests, readingRequests } from './asking-requests.ts';
import type { Ask } from './member-bodies.ts';
import { formRequests, storingRequests } from './storing-requests.ts';
import type { HostileRequest, HostileWorld } from './world.ts';

const open = (path: string): HostileRequest => ({ what: `GET ${path.slice(0, 60)}`, method: 'GET', path });

export function memberRequests({ tenant: { projectId, apiToken }, key }: HostileWorld): HostileRequest[] {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const ask: Ask = (what, path, body, method = 'POST') => ({
    what: `${method} ${path.slice(0, 60)} ${what}`,
    method,
    path: `/api/projects/${projectId}${path}`,
    body: () => JSON.stringify(body()),
    headers,
  });
  const get = (path: string): HostileRequest => ({
    what: `GET ${path.slice(0, 80)}`,
    method: 'GET',
    path: `/api/projects/${projectId}${path}`,
    headers,
  });
  return [
    ...storingRequests(ask),
    ...askingRequests(ask),
    ...formRequests(projectId, key),
    ...readingRequests(get),
    ...['/api/surveys/', '/api/early_access_features/', '/api/web_experiments/'].map((path) =>
      open(`${path}?token=${apiToken}`),
    ),
    open(`/array/${apiToken}/config.js`),
    open(`/array/${apiToken}/config`),
    {
      what: 'POST /flags/ of all flags',
      path: '/flags/?v=2',
      body: () => `{"token":"${apiToken}","distinct_id":"u","person_properties":{"q1":"a"}}`,
    },
    {
      what: 'POST /decide/ of all flags',
      path: '/decide/?v=3',
      body: () => `{"token":"${apiToken}","distinct_id":"u"}`,
    },
    {
      what: 'POST /ofrep of all flags',
      path: '/ofrep/v1/evaluate/flags',
      body: () => '{"context":{"targetingKey":"u"}}',
      headers: { Authorization: `Bearer ${apiToken}`, 'Content-Type': 'application/json' },
    },
    {
      what: 'GET local_evaluation',
      method: 'GET',
      path: `/api/feature_flag/local_evaluation/?token=${apiToken}&send_cohorts`,
      headers,
    },
    { what: 'GET definitions', method: 'GET', path: `/flags/definitions/?token=${apiToken}`, headers },
  ];
}
