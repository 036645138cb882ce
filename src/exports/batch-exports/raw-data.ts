/** Checks of access to the raw data, events and persons, that an export or its preview shows. */
import type { Caller, Rights } from '../../platform/http/access.ts';
import { readsPersons, selectionOf } from '../../events/reading/selection.ts';
import { ensureRaw, rawAccess, rawAccessByLevel, type RawData } from '../../people/access/raw-data.ts';
import type { BatchExport } from './batch-export.ts';
import type { ExportPatch, NewExport } from './batch-exports.ts';
import type { ContentPatch } from './content.ts';
import { unfilteredContent, type Model } from '../../conditions/rows/content.ts';

type Viewer = { caller: Pick<Caller, 'scopes'>; rights: Rights };

/** @throws InvalidInput for a query that does not compile; PermissionDenied */
export function ensureMayExport({ rights }: Pick<Viewer, 'rights'>, newExport: NewExport): void {
  // tooth: raw-exports
  ensureRaw(rawAccessByLevel(rights), exportedData(newExport.model, newExport.content));
}

/**
 * Checks a change of an export's content or destination, which decides which rows are sent where. Other changes need only the
 * access level for the export.
 * @throws InvalidInput for a query that does not compile; PermissionDenied
 */
export function ensureMayRedirect(
  { rights }: Pick<Viewer, 'rights'>,
  { model, content }: Pick<BatchExport, 'model' | 'content'>,
  patch: ExportPatch,
): void {
  if (!patch.destination && Object.keys(patch.content ?? {}).length === 0) return;
  ensureRaw(rawAccessByLevel(rights), exportedData(model, { ...content, ...patch.content }));
}

/** Checks a preview, whose answer contains rows. @throws InvalidInput for a query that does not compile; PermissionDenied */
export function ensureMayPreview(viewer: Viewer, model: Model, content: ContentPatch['content']): void {
  ensureRaw(rawAccess(viewer), exportedData(model, content));
}

/** @param settings content whose filters may not have been checked yet */
function exportedData(model: Model, settings: ContentPatch['content'] = {}): RawData[] {
  const content = { ...unfilteredContent(model), ...settings, filters: [] };
  const isOfPersons = selectionOf(content).source.model === 'persons';
  return [
    ...(isOfPersons ? [] : (['event'] as const)),
    ...(isOfPersons || readsPersons(content) || filtersByPerson(settings.filters) ? (['person'] as const) : []),
  ];
}

/** Whether filters may read persons. Expressions always may, because they can name any field. */
function filtersByPerson(filters: unknown): boolean {
  if (!Array.isArray(filters)) return false;
  return filters.some((filter: { type?: unknown } | null) => filter?.type === 'person' || filter?.type === 'hogql');
}
