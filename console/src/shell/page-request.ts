/** The request whose answer a page shows, to repeat it elsewhere. */
import { useRouterState } from '@tanstack/react-router';

type Place = { params: Readonly<Record<string, unknown>>; search: Readonly<Record<string, unknown>> };

const inProject = ({ params }: Place) => `/api/environments/${String(params['projectId'])}`;
const ofExport = (at: Place) => `${inProject(at)}/batch_exports/${String(at.params['exportId'])}/`;

/** A page of a list, with the page size of all lists that have pages. */
const pageOf = ({ search }: Place) => ({ limit: 100, offset: (Number(search['page'] ?? 1) - 1) * 100 });

/** Values of the API's filter `active` by the `state` of an address. */
const ACTIVE: Readonly<Record<string, string>> = { on: 'true', off: 'false', stale: 'STALE' };

/**
 * Paths by the route of a page. For a page with several requests, the path of its main part. The page of an export copies the request of its
 * map itself. The page of personal keys has none, because a key cannot list them.
 */
const PATHS: Readonly<Record<string, (place: Place) => string>> = {
  '/inside/project/$projectId/exports': (at) =>
    `${inProject(at)}/batch_exports/overview/${query({ limit: 500, ...some(at, ['search', 'state']) })}`,
  '/inside/project/$projectId/exports/$exportId/edit': ofExport,
  '/inside/project/$projectId/exports/$exportId/runs/$runId': (at) =>
    `${ofExport(at)}runs/${String(at.params['runId'])}/`,
  '/inside/project/$projectId/flags': (at) =>
    `${inProject(at)}/feature_flags/${query({
      ...pageOf(at),
      ...some(at, ['search', 'type']),
      active: ACTIVE[String(at.search['state'])],
    })}`,
  '/inside/project/$projectId/flags/$flagId': (at) => `${inProject(at)}/feature_flags/${String(at.params['flagId'])}/`,
  '/inside/project/$projectId/dashboards': (at) =>
    `${inProject(at)}/dashboards/${query({ ...pageOf(at), ...some(at, ['search']) })}`,
  '/inside/project/$projectId/dashboards/$dashboardId': (at) =>
    `${inProject(at)}/dashboards/${String(at.params['dashboardId'])}/`,
  '/inside/project/$projectId/events': (at) =>
    `${inProject(at)}/events/${query({
      limit: 50,
      ...some(at, ['event', 'distinct_id', 'person_id', 'after', 'before', 'cursor']),
    })}`,
  '/inside/project/$projectId/settings': ({ params }) => `/api/projects/${String(params['projectId'])}/`,
  '/inside/settings/members': (at) =>
    `/api/organizations/${String(at.search['organization'])}/members/${query(pageOf(at))}`,
};

const some = ({ search }: Place, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, search[name]]));

/** Leaves out what is not given. */
function query(parameters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** @returns the path of the present page's request; undefined if the page has none that a key may send */
export function usePageRequest(): string | undefined {
  return useRouterState({
    select({ matches }) {
      const { routeId, params, search } = matches.at(-1)!;
      return PATHS[routeId]?.({ params, search });
    },
  });
}
