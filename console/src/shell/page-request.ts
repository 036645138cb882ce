/** The request whose answer a page shows, to repeat it elsewhere. */
import { useRouterState } from '@tanstack/react-router';

type Place = { params: Readonly<Record<string, unknown>>; search: Readonly<Record<string, unknown>> };

const inProject = ({ params }: Place) => `/api/environments/${String(params['projectId'])}`;

/** Paths by the route of a page. For a page with several requests, the path of its main part. */
const PATHS: Readonly<Record<string, (place: Place) => string>> = {
  '/inside/project/$projectId/exports': (at) =>
    `${inProject(at)}/batch_exports/overview/${query(at.search, ['search', 'state'])}`,
  '/inside/project/$projectId/exports/$exportId': (at) =>
    `${inProject(at)}/batch_exports/${String(at.params['exportId'])}/intervals/map/`,
  '/inside/project/$projectId/exports/$exportId/edit': (at) =>
    `${inProject(at)}/batch_exports/${String(at.params['exportId'])}/`,
  '/inside/project/$projectId/exports/$exportId/runs/$runId': (at) =>
    `${inProject(at)}/batch_exports/${String(at.params['exportId'])}/runs/${String(at.params['runId'])}/`,
  '/inside/project/$projectId/flags': (at) => `${inProject(at)}/feature_flags/${query(at.search, ['search', 'type'])}`,
  '/inside/project/$projectId/flags/$flagId': (at) => `${inProject(at)}/feature_flags/${String(at.params['flagId'])}/`,
  '/inside/project/$projectId/dashboards': (at) => `${inProject(at)}/dashboards/${query(at.search, ['search'])}`,
  '/inside/project/$projectId/dashboards/$dashboardId': (at) =>
    `${inProject(at)}/dashboards/${String(at.params['dashboardId'])}/`,
  '/inside/project/$projectId/events': (at) =>
    `${inProject(at)}/events/${query(at.search, ['event', 'distinct_id', 'person_id', 'after', 'before', 'cursor'])}`,
  '/inside/project/$projectId/settings': ({ params }) => `/api/projects/${String(params['projectId'])}/`,
  '/inside/settings/keys': () => '/api/personal_api_keys/@current/',
  '/inside/settings/members': ({ search }) => `/api/organizations/${String(search['organization'])}/members/`,
};

function query(search: Place['search'], names: readonly string[]): string {
  const given = names.filter((name) => search[name] !== undefined).map((name) => [name, String(search[name])]);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
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
