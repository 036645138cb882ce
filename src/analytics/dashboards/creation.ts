/** Creates dashboards, inside a transaction of the stores. */
import { InvalidInput, PermissionDenied } from '../../platform/errors.ts';
import { reaches } from '../../platform/http/access.ts';
import type { ChangeContext } from './change-context.ts';
import type { CreationMode, Dashboard, DashboardFields, Origin } from './dashboards.store.ts';
import { recordDashboardChange } from './log.ts';
import { ensureMaySetRestriction } from './restriction.ts';
import { ONLY_COLLABORATORS_EDIT } from './restriction-level.ts';
import { ensureMayFilter } from '../queries/raw-data.ts';
import { isBuiltIn } from './templates/built-in.ts';
import type { DashboardTemplate } from './templates/dashboard-template.ts';
import { changeTiles } from './tiles/change.ts';
import { copyTiles } from './tiles/copy.ts';
import type { GivenTile } from './tiles/schema.ts';

/** Body of a request for a new dashboard. */
export type GivenDashboard = { fields: Partial<DashboardFields> & Origin; tiles: readonly GivenTile[] };

/**
 * @throws InvalidInput for an invalid tile
 * @throws PermissionDenied if a project key sets a restriction, because it could not lift it again
 */
export async function insertDashboard(
  context: ChangeContext,
  { fields, tiles }: GivenDashboard,
  mode: CreationMode = 'default',
): Promise<Dashboard> {
  const { stores, project, caller, rights } = context;
  const dashboard = await stores.dashboards.insert({
    ...fields,
    project_id: project.id,
    creation_mode: mode,
    created_by: caller.userId,
  });
  if (dashboard.restriction_level === ONLY_COLLABORATORS_EDIT) ensureMaySetRestriction(dashboard, caller, rights);
  await changeTiles(context, dashboard, tiles);
  await recordDashboardChange(context, 'created', dashboard);
  return dashboard;
}

/**
 * The client's name takes precedence over the template's; description and filters are the template's, and tags come from both.
 * @throws PermissionDenied when the client's own template reads data that the client may not see
 */
export async function makeFromTemplate(
  context: ChangeContext,
  template: DashboardTemplate,
  { fields, tiles }: GivenDashboard,
  mode: CreationMode = 'template',
): Promise<Dashboard> {
  const { description, filters } = template;
  const isOurs = isBuiltIn(template);
  // tooth: raw-template-filters
  if (!isOurs) ensureMayFilter(context, filters);
  const name = fields.name || template.name;
  const tags = [...new Set([...(fields.tags ?? []), ...template.tags])].sort();
  const dashboard = await insertDashboard(
    context,
    { fields: { ...fields, name, description, filters, tags }, tiles: [] },
    mode,
  );
  await changeTiles(context, dashboard, template.tiles, { isSample: true, isBuiltIn: isOurs });
  await changeTiles(context, dashboard, tiles);
  return dashboard;
}

/**
 * The copy gets neither the name, the tags nor the access controls of the original.
 * @param source `copiesContent`: copies insights and texts too; without it both dashboards share them
 * @throws InvalidInput when there is no such dashboard
 * @throws PermissionDenied when the caller may not see it
 */
export async function copyDashboard(
  context: ChangeContext,
  source: { id: number; copiesContent: boolean },
  { fields, tiles }: GivenDashboard,
): Promise<Dashboard> {
  const original = await findOriginal(context, source.id);
  const { filters, variables, breakdown_colors, data_color_theme_id } = original;
  const copiedFields = { filters, variables, breakdown_colors, data_color_theme_id };
  const copy = await insertDashboard(
    context,
    { fields: { ...copiedFields, ...fields, use_dashboard: source.id }, tiles: [] },
    'duplicate',
  );
  await copyTiles(context, original, copy, source);
  await changeTiles(context, copy, tiles);
  return copy;
}

async function findOriginal({ stores, project, rights }: ChangeContext, id: number): Promise<Dashboard> {
  const original = await stores.dashboards.find(project.id, id);
  if (!original || original.deleted) throw new InvalidInput('Invalid value provided', 'use_dashboard');
  if (reaches(rights.levelOf('dashboard', { id, createdBy: original.created_by }), 'viewer')) return original;
  throw new PermissionDenied("You don't have permission to view the source dashboard.");
}
