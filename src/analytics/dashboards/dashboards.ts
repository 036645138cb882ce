/** Actions of users on dashboards. Each change is one transaction, with its entry in the audit log. */
import { isDeepStrictEqual } from 'node:util';
import { Conflict, InvalidInput, NotFound } from '../../platform/errors.ts';
import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import { ensureVersion } from '../../platform/http/parameters/preconditions.ts';
import { changesBetween } from '../../people/audit/audit-log.ts';
import { type Change } from '../../people/audit/entry.ts';
import { rawAccess } from '../../people/access/raw-data.ts';
import { insertDashboard, copyDashboard, makeFromTemplate } from './creation.ts';
import type { Dashboard, DashboardFields } from './dashboards.store.ts';
import type { ChangeContext } from './change-context.ts';
import { restoreTiles, ensureRestorable, deleteWithTiles } from './deletion.ts';
import { givenFields } from './fields.ts';
import type { Overrides } from '../insights/results/overlay.ts';
import type { Refresh } from '../insights/results/refresh.ts';
import { ensureMayRestrictInsights, findRestrictedInsights } from '../insights/restriction.ts';
import type { Results } from '../insights/results/results.ts';
import type { DashboardQuery } from './list.store.ts';
import { recordDashboardChange, SCOPE } from './log.ts';
import { presentDashboard, presentListed } from './present.ts';
import { ensureMaySetRestriction } from './restriction.ts';
import type { DashboardBody, DashboardPatchBody, ListedDashboardBody, NewDashboardBody } from './schema.ts';
import type { DashboardStores } from './stores.ts';
import { ensureMayFilter } from '../queries/raw-data.ts';
import { getTemplate, findTemplateByTag } from './templates/built-in.ts';
import type { DashboardTemplate } from './templates/dashboard-template.ts';
import { changeTiles } from './tiles/change.ts';
import { duplicateTiles } from './tiles/copy.ts';
import { ensureInsightScope, ensureWritesInsights } from './tiles/insights.ts';
import { loadTiles } from './tiles/tiles.ts';

export type Actor = { project: Project; caller: Caller; rights: Rights };

/** How a caller wants to see a dashboard. Without `refresh` nothing is computed. */
export type ViewOptions = { overrides?: Overrides; refresh?: Refresh };

export type DashboardsOptions = { stores: DashboardStores; results: Pick<Results, 'getResults'> };

export function dashboardManagement({ stores: allStores, results }: DashboardsOptions) {
  /** @returns the dashboard after the changes */
  const inTransaction = (actor: Actor, work: (context: ChangeContext) => Promise<Dashboard>): Promise<Dashboard> =>
    allStores.inTransaction(actor.project.id, async (stores) => {
      const { id } = await work({ ...actor, stores });
      return (await stores.dashboards.find(actor.project.id, id))!;
    });

  return {
    /** Dashboards that the caller sees. */
    async list({ project, ...viewer }: Actor, query: Omit<DashboardQuery, 'visible'>) {
      const page = await allStores.dashboards.list(project.id, {
        ...query,
        visible: viewer.rights.visible('dashboard'),
      });
      const users = await allStores.users.findByIds(page.results.map(({ created_by }) => created_by));
      const bodies = page.results.map((result): ListedDashboardBody => presentListed(result, { viewer, users }));
      return { count: page.count, results: bodies };
    },

    /** Returns a dashboard and records the view. @throws NotFound */
    open: allStores.dashboards.recordView,

    /**
     * @throws InvalidInput naming the field
     * @throws PermissionDenied for what the caller may not copy, show or restrict
     */
    async create(actor: Actor, body: NewDashboardBody): Promise<Dashboard> {
      const { use_dashboard: id, use_template: name, duplicate_tiles: isDeep = false } = body;
      if (id && name) throw new InvalidInput('`use_dashboard` and `use_template` cannot be used together');
      // Ids are dropped, because they name tiles of the dashboard that these tiles were read from.
      const tiles = (body.tiles ?? []).map((tile) => ({ ...tile, id: null }));
      ensureInsightScope(actor.caller, tiles);
      const newDashboard = { fields: givenFields(body), tiles };
      ensureMayFilter(actor, newDashboard.fields.filters);
      const makeDashboard = (context: ChangeContext): Promise<Dashboard> => {
        if (name) {
          const fields = { ...newDashboard.fields, use_template: name };
          return makeFromTemplate(context, getTemplate(name), { ...newDashboard, fields });
        }
        return id
          ? copyDashboard(context, { id, copiesContent: isDeep }, newDashboard)
          : insertDashboard(context, newDashboard);
      };
      return inTransaction(actor, async (context) => {
        const dashboard = await makeDashboard(context);
        await ensureMayRestrictInsights(context, dashboard);
        return dashboard;
      });
    },

    /** @throws InvalidInput for an invalid tile */
    async createFrom(actor: Actor, template: DashboardTemplate): Promise<Dashboard> {
      return inTransaction(actor, (context) => makeFromTemplate(context, template, { fields: {}, tiles: [] }));
    },

    /** @throws Conflict when the project already has one with the tag */
    async createUnlisted(actor: Actor, tag: string): Promise<Dashboard> {
      return inTransaction(actor, async (context) => {
        const { dashboards } = context.stores;
        if (await dashboards.findUnlisted(actor.project.id, tag)) {
          throw new Conflict('An unlisted dashboard with this tag already exists.');
        }
        const newDashboard = { fields: { name: tag, tags: [tag] }, tiles: [] };
        const template = findTemplateByTag(tag);
        return template
          ? makeFromTemplate(context, template, newDashboard, 'unlisted')
          : insertDashboard(context, newDashboard, 'unlisted');
      });
    },

    /**
     * @param ifMatch the version that the caller expects
     * @throws NotFound, also for one that is deleted, unless it is restored
     * @throws Stale when it has another version
     * @throws PermissionDenied for what the caller may not show, restrict, or do to insights
     * @throws InvalidInput naming the field
     */
    async change(actor: Actor, id: number, body: DashboardPatchBody, ifMatch?: string): Promise<Dashboard> {
      const fields = givenFields(body);
      const { tiles = [], duplicate_tiles: duplicatedTiles = [], delete_insights: deleteInsights = false } = body;
      ensureInsightScope(actor.caller, tiles);
      if (deleteInsights) ensureWritesInsights(actor.caller);
      return inTransaction(actor, async (context) => {
        const before = await context.stores.dashboards.find(actor.project.id, id);
        if (!before || (before.deleted && fields.deleted !== false)) throw new NotFound();
        ensureVersion(ifMatch, before.version, 'dashboard');
        // Checked even if the level stays the same.
        if (fields.restriction_level !== undefined) ensureMaySetRestriction(before, actor.caller, actor.rights);
        if (!isDeepStrictEqual(fields.filters, before.filters)) ensureMayFilter(actor, fields.filters);
        const restricted = await findRestrictedInsights(context.stores, before);
        if (before.deleted) await restoreTiles(context, id);
        const tileChanges = await changeTiles(context, before, tiles);
        const copyChanges = await duplicateTiles(context, before, duplicatedTiles);
        if (before.deleted) await ensureRestorable(context, id);
        if (!before.deleted && fields.deleted) await deleteWithTiles(context, id, deleteInsights);
        const after = await update(context, before, fields, [...tileChanges, ...copyChanges]);
        await ensureMayRestrictInsights(context, after, restricted);
        return after;
      });
    },

    /** Returns the dashboard with all that the caller may see of it. */
    async show({ project, ...viewer }: Actor, dashboard: Dashboard, look: ViewOptions = {}): Promise<DashboardBody> {
      const { overrides = {}, refresh = 'force_cache' } = look;
      const [users, tiles] = await Promise.all([
        allStores.users.findByIds([dashboard.created_by]),
        loadTiles(allStores, dashboard, {
          ...viewer,
          overrides,
          getResults: (tiles) => results.getResults(project, tiles, refresh, rawAccess(viewer)),
        }),
      ]);
      return presentDashboard(dashboard, { viewer, users, tiles, overrides });
    },
  };
}

export type DashboardManagement = ReturnType<typeof dashboardManagement>;

/** Updates a dashboard; without a difference the version stays, and nothing is logged. */
async function update(
  context: ChangeContext,
  before: Dashboard,
  fields: Partial<DashboardFields>,
  tileChanges: readonly Change[],
): Promise<Dashboard> {
  const ownChanges = changesBetween(SCOPE, loggedFieldsOf(before), loggedFieldsOf({ ...before, ...fields }));
  const changes = [...ownChanges, ...tileChanges];
  if (changes.length === 0) return before;
  const after = await context.stores.dashboards.update(before.project_id, before.id, fields);
  const verb = after.deleted === before.deleted ? 'updated' : after.deleted ? 'deleted' : 'restored';
  await recordDashboardChange(context, verb, after, changes);
  return after;
}

const LOGGED_FIELDS = [
  ...(['name', 'description', 'pinned', 'deleted', 'tags', 'filters', 'variables', 'restriction_level'] as const),
  ...(['breakdown_colors', 'data_color_theme_id', 'last_accessed_at'] as const),
];

function loggedFieldsOf(dashboard: DashboardFields): Record<string, unknown> {
  return Object.fromEntries(LOGGED_FIELDS.map((field) => [field, dashboard[field]]));
}
