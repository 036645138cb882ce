/**
 * The console's addresses. Pages are loaded when they are first shown. Filters, selections and places in a list are parsed from the address
 * here, so that reloading it gives the same view.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { ApiError } from './api/client.ts';
import { lazyChunk } from './chunks/lazy-chunk.ts';
import { Skeleton } from './look/notes.tsx';
import { currentProjectOf, meQuery, organizationOf } from './session/me.ts';
import { NotFoundPage, PageFailure } from './shell/failures.tsx';
import { parseSearch, stringifySearch } from './search.ts';
import { Root } from './shell/root.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Root });

type Texts<Name extends string> = { [N in Name]?: string | undefined };
type Numbers<Name extends string> = { [N in Name]?: number | undefined };
type Page = Numbers<'page'>;

/** @returns the named parameters of an address's query that are texts, without empty ones */
function textParameters<Name extends string>(search: Record<string, unknown>, names: readonly Name[]): Texts<Name> {
  const presentNames = names.filter((name) => typeof search[name] === 'string' && search[name] !== '');
  return Object.fromEntries(presentNames.map((name) => [name, search[name]])) as Texts<Name>;
}

/** @returns the named parameter if it is an integer of at least `least` */
function numberOf<Name extends string>(search: Record<string, unknown>, name: Name, least: number): Numbers<Name> {
  const value = Number(search[name]);
  return (Number.isSafeInteger(value) && value >= least ? { [name]: value } : {}) as Numbers<Name>;
}

/** The page of a list; absent for the first. */
const pageOf = (search: Record<string, unknown>) => numberOf(search, 'page', 2);

/** The project from which the user opened a settings page. */
const projectOf = (search: Record<string, unknown>) => numberOf(search, 'project', 1);

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search) => textParameters(search, ['next']),
  component: lazyChunk(() => import('./session/login-page.tsx'), 'LoginPage'),
});

const askForReset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyChunk(() => import('./session/forgotten-page.tsx'), 'ForgottenPage'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset/$token',
  component: lazyChunk(() => import('./session/reset-page.tsx'), 'ResetPage'),
});

const signup = createRoute({
  getParentRoute: () => root,
  path: '/signup/$token',
  component: lazyChunk(() => import('./session/signup-page.tsx'), 'SignupPage'),
});

/** Pages for logged-in users; others are redirected to the login page, and back afterwards. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  async beforeLoad({ context, location }) {
    try {
      return { me: await context.queries.ensureQueryData(meQuery) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        throw redirect({ to: '/login', search: location.href === '/' ? {} : { next: location.href } });
      }
      throw error;
    }
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad({ context }) {
    const projectId = currentProjectOf(context.me);
    if (projectId === undefined) return;
    throw redirect({ to: '/project/$projectId/exports', params: { projectId } });
  },
  component: lazyChunk(() => import('./shell/no-project-page.tsx'), 'NoProjectPage'),
});

const project = createRoute({
  getParentRoute: () => inside,
  path: '/project/$projectId',
  params: {
    parse: ({ projectId }) => ({ projectId: Number(projectId) }),
    stringify: ({ projectId }) => ({ projectId: String(projectId) }),
  },
  component: Outlet,
});

const projectHome = createRoute({
  getParentRoute: () => project,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/project/$projectId/exports', params });
  },
});

const exportList = createRoute({
  getParentRoute: () => project,
  path: 'exports',
  validateSearch: (search) => textParameters(search, ['search', 'state']),
  component: lazyChunk(() => import('./exports/list/exports-page.tsx'), 'ExportsPage'),
});

const newExport = createRoute({
  getParentRoute: () => project,
  path: 'exports/new',
  component: lazyChunk(() => import('./exports/editors-only.tsx'), 'NewExport'),
});

const editExport = createRoute({
  getParentRoute: () => project,
  path: 'exports/$exportId/edit',
  validateSearch: (search) => textParameters(search, ['field', 'run']),
  component: lazyChunk(() => import('./exports/editors-only.tsx'), 'EditExport'),
});

const exportPage = createRoute({
  getParentRoute: () => project,
  path: 'exports/$exportId',
  // `start` and `end`: the selection; `since`: the start of the shown history; `backfill`: its receipt is shown;
  // `at` has no effect any more.
  validateSearch: (search) => textParameters(search, ['start', 'end', 'at', 'since', 'only', 'view', 'backfill']),
  // A link to a selection also shows it. Later selections on the page leave the history as it is.
  beforeLoad({ cause, params, search }) {
    if (cause === 'stay' || search.since !== undefined || search.start === undefined) return;
    const to = '/project/$projectId/exports/$exportId';
    throw redirect({ to, params, search: { ...search, since: search.start }, replace: true });
  },
  component: lazyChunk(() => import('./exports/export/export-page.tsx'), 'ExportPage'),
});

const runPage = createRoute({
  getParentRoute: () => project,
  path: 'exports/$exportId/runs/$runId',
  validateSearch: (search) => textParameters(search, ['level', 'text', 'attempt', 'line', 'follow']),
  component: lazyChunk(() => import('./exports/run/run-page.tsx'), 'RunPage'),
});

const flagList = createRoute({
  getParentRoute: () => project,
  path: 'flags',
  validateSearch(search): Texts<'search' | 'state' | 'type'> & Page {
    return { ...textParameters(search, ['search', 'state', 'type']), ...pageOf(search) };
  },
  component: lazyChunk(() => import('./flags/list/flags-page.tsx'), 'FlagsPage'),
});

const flag = createRoute({
  getParentRoute: () => project,
  path: 'flags/$flagId',
  params: {
    parse: ({ flagId }) => ({ flagId: Number(flagId) }),
    stringify: ({ flagId }) => ({ flagId: String(flagId) }),
  },
  component: lazyChunk(() => import('./flags/page/flag-page.tsx'), 'FlagPage'),
});

const dashboards = createRoute({
  getParentRoute: () => project,
  path: 'dashboards',
  validateSearch(search): Texts<'search'> & Page {
    return { ...textParameters(search, ['search']), ...pageOf(search) };
  },
  component: lazyChunk(() => import('./dashboards/list/dashboards-page.tsx'), 'DashboardsPage'),
});

const dashboard = createRoute({
  getParentRoute: () => project,
  path: 'dashboards/$dashboardId',
  params: {
    parse: ({ dashboardId }) => ({ dashboardId: Number(dashboardId) }),
    stringify: ({ dashboardId }) => ({ dashboardId: String(dashboardId) }),
  },
  component: lazyChunk(() => import('./dashboards/page/dashboard-page.tsx'), 'DashboardPage'),
});

const events = createRoute({
  getParentRoute: () => project,
  path: 'events',
  validateSearch: (search) =>
    textParameters(search, ['event', 'distinct_id', 'person_id', 'after', 'before', 'cursor']),
  component: lazyChunk(() => import('./events/events-page.tsx'), 'EventsPage'),
});

const projectSettings = createRoute({
  getParentRoute: () => project,
  path: 'settings',
  component: lazyChunk(() => import('./settings/project-page.tsx'), 'ProjectPage'),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  beforeLoad() {
    throw redirect({ to: '/settings/keys' });
  },
});

const keys = createRoute({
  getParentRoute: () => inside,
  path: '/settings/keys',
  validateSearch: projectOf,
  component: lazyChunk(() => import('./settings/keys/keys-page.tsx'), 'KeysPage'),
});

const members = createRoute({
  getParentRoute: () => inside,
  path: '/settings/members',
  validateSearch(search): Texts<'organization'> & Numbers<'project'> & Page {
    return { ...textParameters(search, ['organization']), ...projectOf(search), ...pageOf(search) };
  },
  beforeLoad({ context, search }) {
    const organization = organizationOf(context.me, search.project ?? currentProjectOf(context.me));
    if (search.organization !== undefined || organization === undefined) return;
    throw redirect({ to: '/settings/members', search: { ...search, organization }, replace: true });
  },
  component: lazyChunk(() => import('./settings/members/members-page.tsx'), 'MembersPage'),
});

const sessions = createRoute({
  getParentRoute: () => inside,
  path: '/settings/sessions',
  validateSearch: projectOf,
  component: lazyChunk(() => import('./settings/sessions-page.tsx'), 'SessionsPage'),
});

const routeTree = root.addChildren([
  login,
  askForReset,
  reset,
  signup,
  inside.addChildren([
    home,
    project.addChildren([
      projectHome,
      exportList,
      newExport,
      editExport,
      exportPage,
      runPage,
      flagList,
      flag,
      dashboards,
      dashboard,
      events,
      projectSettings,
    ]),
    settings,
    keys,
    members,
    sessions,
  ]),
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Skeleton rows={8} />,
    defaultErrorComponent: PageFailure,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
