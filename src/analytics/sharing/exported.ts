/** Content of a link in the form of upstream's `exported_data`: the page is drawn from it, and `.json` answers it. */
import type { Project } from '../../platform/http/access.ts';
import { presentInsight } from '../insights/present.ts';
import { presentDashboard } from '../dashboards/present.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import { loadTiles } from '../dashboards/tiles/tiles.ts';
import { NO_OVERLAY } from '../insights/results/overlay.ts';
import { publicDashboard, publicInsight, type SharedDashboard, type SharedInsight } from './reduced.ts';
import type { SharedResults } from './shared-results.ts';
import type { ShareSettings } from './settings.ts';
import type { Share } from './shares.store.ts';

type SharedObject = { dashboard: SharedDashboard } | { insight: SharedInsight };

export type ExportedPage = {
  /** `embed`: for a frame in another page. `unlock`: it takes a password first. */
  type: 'scene' | 'embed' | 'unlock';
  accessToken: string;
  /** Colours that a project defined: none here. */
  themes: [];
  /** The shared object; absent while its password is missing. */
  dashboard?: SharedDashboard;
  insight?: SharedInsight;
} & ShareSettings;

/** The page that asks for a password: no content, only the theme. */
export function lockedPageOf({ configuration, token }: Share): ExportedPage {
  return { type: 'unlock', accessToken: token, themes: [], ...linkSettings({ theme: configuration.settings?.theme }) };
}

export function pageContentOf(
  { configuration, token }: Share,
  type: 'scene' | 'embed',
  content: SharedObject,
): ExportedPage {
  return { type, accessToken: token, themes: [], ...linkSettings(configuration.settings ?? {}), ...content };
}

/** Keeps only the settings that are set. */
function linkSettings(settings: { [Name in keyof ShareSettings]: ShareSettings[Name] | undefined }): ShareSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value)) as ShareSettings;
}

export type LoadShown = (share: Share) => Promise<SharedObject>;

type Options = { stores: DashboardStores; getResults: SharedResults };

export function createLoadShown({ stores, getResults }: Options): LoadShown {
  async function loadDashboard(project: Project, id: number, settings: ShareSettings): Promise<SharedObject> {
    const dashboard = await stores.dashboards.recordView(project.id, id);
    const compute = (requested: Parameters<SharedResults>[1]) => getResults(project, requested);
    const tiles = await loadTiles(stores, dashboard, { rights: null, getResults: compute });
    const body = presentDashboard(dashboard, { viewer: null, users: new Map(), tiles });
    return { dashboard: publicDashboard(body, settings) };
  }

  async function loadInsight(project: Project, id: number, settings: ShareSettings): Promise<SharedObject> {
    const insight = await stores.insights.get(project.id, id);
    const [result] = await getResults(project, [{ insight, overlay: NO_OVERLAY }]);
    const body = presentInsight(insight, { rights: null, users: new Map(), result: result!, locations: [] });
    return { insight: publicInsight(body, { dashboards: [], showsDescription: true, settings }) };
  }

  return ({ configuration: { object, settings }, project }) => {
    return (object.kind === 'dashboard' ? loadDashboard : loadInsight)(project, object.id, settings ?? {});
  };
}
