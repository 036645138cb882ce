/** Content of a link in the form of upstream's `exported_data`: the page is drawn from it, and `.json` answers it. */
import type { Project } from '../../platform/http/access.ts';
import { presentInsight } from '../insights/present.ts';
import { presentDashboard } from '../dashboards/present.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import { tilesOf } from '../dashboards/tiles/tiles.ts';
import { NO_OVERLAY } from '../insights/results/overlay.ts';
import { reducedDashboard, reducedInsight, type SharedDashboard, type SharedInsight } from './reduced.ts';
import type { SharedResults } from './shared-results.ts';
import type { ShareSettings } from './settings.ts';
import type { Share } from './shares.store.ts';

type Shown = { dashboard: SharedDashboard } | { insight: SharedInsight };

export type Exported = {
  /** `embed`: for a frame in another page. `unlock`: it takes a password first. */
  type: 'scene' | 'embed' | 'unlock';
  accessToken: string;
  /** Colours that a project defined: none here. */
  themes: [];
  /** The shared object, unless a password is asked for. */
  dashboard?: SharedDashboard;
  insight?: SharedInsight;
} & ShareSettings;

/** The page that asks for a password: no content, only the theme. */
export function lockedOf({ configuration, token }: Share): Exported {
  return { type: 'unlock', accessToken: token, themes: [], ...shownSettings({ theme: configuration.settings?.theme }) };
}

export function exportedOf({ configuration, token }: Share, type: 'scene' | 'embed', shown: Shown): Exported {
  return { type, accessToken: token, themes: [], ...shownSettings(configuration.settings ?? {}), ...shown };
}

/** Keeps only the settings that are set. */
function shownSettings(settings: { [Name in keyof ShareSettings]: ShareSettings[Name] | undefined }): ShareSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value)) as ShareSettings;
}

export type ShownOf = (share: Share) => Promise<Shown>;

type Options = { stores: DashboardStores; resultsOf: SharedResults };

export function createShownOf({ stores, resultsOf }: Options): ShownOf {
  async function loadDashboard(project: Project, id: number, settings: ShareSettings): Promise<Shown> {
    const dashboard = await stores.dashboards.access(project.id, id);
    const compute = (requested: Parameters<SharedResults>[1]) => resultsOf(project, requested);
    const tiles = await tilesOf(stores, dashboard, { rights: null, resultsOf: compute });
    const whole = presentDashboard(dashboard, { viewer: null, users: new Map(), tiles });
    return { dashboard: reducedDashboard(whole, settings) };
  }

  async function loadInsight(project: Project, id: number, settings: ShareSettings): Promise<Shown> {
    const insight = await stores.insights.get(project.id, id);
    const [result] = await resultsOf(project, [{ insight, overlay: NO_OVERLAY }]);
    const whole = presentInsight(insight, { rights: null, users: new Map(), result: result!, places: [] });
    return { insight: reducedInsight(whole, { dashboards: [], describes: true, settings }) };
  }

  return ({ configuration: { object, settings }, project }) => {
    return (object.kind === 'dashboard' ? loadDashboard : loadInsight)(project, object.id, settings ?? {});
  };
}
