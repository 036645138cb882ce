/** Insights that come with tiles, inside a transaction of the stores. */
import { InvalidInput, PermissionDenied } from '../../../platform/errors.ts';
import type { Caller } from '../../../platform/http/access.ts';
import { invalidInput } from '../../../platform/http/validation.ts';
import { ensureEditor } from '../../../people/access/rights.ts';
import { allows } from '../../../people/access/scopes.ts';
import { compile } from '../../../platform/schema.ts';
import type { ChangeContext } from '../change-context.ts';
import { givenFields } from '../../insights/fields.ts';
import { createInsight, type InsightInput } from '../../insights/insights.ts';
import type { InsightFields } from '../../insights/insight.ts';
import { GivenInsightBody } from '../../insights/schema.ts';
import { ensureMayStore } from '../../queries/raw-data.ts';
import { ensureShows } from './permissions.ts';
import { TileId, type GivenTile } from './schema.ts';

const isId = compile(TileId);
const isGivenInsight = compile(GivenInsightBody);

/** Facts about new insights on tiles that clients do not send: whether the insights come from a template, and whether it is a built-in one. */
export type NewInsights = { isSample?: boolean; isBuiltIn?: boolean };

/**
 * Checks the scope for creating insights through tiles. Tiles of templates need no check: built-in templates are ours, and only sessions,
 * which have every scope, can send a template.
 * @throws PermissionDenied
 */
export function ensureInsightScope(caller: Pick<Caller, 'scopes'>, tiles: readonly GivenTile[]): void {
  if (tiles.some((tile) => !tile.id && isNew(tile.insight))) ensureWritesInsights(caller);
}

/** @throws PermissionDenied for a key that is not for insights */
export function ensureWritesInsights({ scopes }: Pick<Caller, 'scopes'>): void {
  if (allows(scopes, 'insight:write')) return;
  throw new PermissionDenied("API key missing required scope 'insight:write'");
}

/** @throws PermissionDenied when the caller may not create insights, as copying does */
export function ensureMakesInsights({ caller, rights }: Pick<ChangeContext, 'caller' | 'rights'>): void {
  ensureWritesInsights(caller);
  ensureEditor(rights, 'insight');
}

/**
 * @param value the id of an insight, or an object: with an `id` that insight, without one a new insight
 * @param attr path of `value` in the body
 * @returns the insight's id
 * @throws InvalidInput naming the field
 * @throws PermissionDenied when the caller may not see it, or make one
 */
export async function resolveInsight(
  context: ChangeContext,
  value: unknown,
  attr: string,
  { isSample = false, isBuiltIn = false }: NewInsights,
): Promise<number> {
  if (!isNew(value)) return existingInsight(context, referenceOf(value), attr);
  const fields = fieldsOf(value, attr);
  // tooth: raw-templates
  if (!isBuiltIn) ensureMayStore(context, fields.query);
  return newInsight(context, { ...fields, is_sample: isSample });
}

function isNew(value: unknown): value is object {
  return typeof value === 'object' && value !== null && referenceOf(value) === undefined;
}

function referenceOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value;
}

async function existingInsight({ stores, project, rights }: ChangeContext, id: unknown, attr: string): Promise<number> {
  if (typeof id !== 'number' && typeof id !== 'string') {
    throw new InvalidInput('Incorrect type. Expected pk value.', attr, 'incorrect_type');
  }
  const insight = isId(id) ? (await stores.insights.findByIds(project.id, [id])).get(id) : undefined;
  if (!insight) throw new InvalidInput(`Invalid pk "${id}" - object does not exist.`, attr, 'does_not_exist');
  ensureShows(insight, rights);
  return insight.id;
}

async function newInsight({ stores, project, caller, rights }: ChangeContext, input: InsightInput): Promise<number> {
  ensureEditor(rights, 'insight');
  return (await createInsight(stores, project, caller, input)).id;
}

function fieldsOf(value: object, attr: string): Partial<InsightFields> {
  try {
    if (!isGivenInsight(value)) throw invalidInput(isGivenInsight.errors ?? [], GivenInsightBody);
    const { deleted: _, ...fields } = givenFields(value);
    // An insight alone may have no query yet; one on a tile must show something.
    if (!fields.query) throw new InvalidInput('This field is required.', 'query', 'required');
    return fields;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.message, [attr, error.attr ?? []].flat().join('__'), error.code);
  }
}
