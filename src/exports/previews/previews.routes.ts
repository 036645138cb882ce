/** `/batch_exports/preview/` and `/batch_exports/:id/preview/`: rows as they would be delivered, before the first delivery. */
import { InvalidInput } from '../../platform/errors.ts';
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { BatchExportParams, type ExportsApi, EXPORT_BY_ID } from '../api.ts';
import { newExportOf, patchOf } from '../batch-exports/batch-exports.routes.ts';
import { BatchExportPatchBody, NewBatchExportBody } from '../batch-exports/batch-exports.schema.ts';
import type { Preview, PreviewInterval } from './previews.ts';
import { ensureMayPreview } from '../batch-exports/raw-data.ts';

const Bound = Type.String({
  description:
    'A bound of the data interval to preview. If omitted, the newest interval that has ended and contains rows ' +
    'is used.',
});
const interval = { data_interval_start: Type.Optional(Bound), data_interval_end: Type.Optional(Bound) };

const NewPreviewBody = Type.Object(
  { ...NewBatchExportBody.properties, ...interval },
  { title: 'NewBatchExportPreview' },
);
const PatchPreviewBody = Type.Object(
  { ...BatchExportPatchBody.properties, ...interval },
  {
    title: 'BatchExportPatchPreview',
    description: 'Unsaved changes to preview; an empty body previews the stored export.',
  },
);

const BatchExportPreviewBody = Type.Object(
  {
    data_interval_start: Type.String({ format: 'date-time' }),
    data_interval_end: Type.String({ format: 'date-time' }),
    records_total_count: Type.Integer({ description: 'The number of rows in the whole interval.' }),
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'The first twenty rows.' }),
    names: Type.Array(Type.String(), {
      description: 'The names of the objects that would be written, or of the table.',
    }),
  },
  { title: 'BatchExportPreview' },
);

const previewNew = route({
  method: 'post',
  path: '/batch_exports/preview/',
  operationId: 'batch_exports_preview_new_create',
  access: { scope: 'batch_export:write' },
  body: NewPreviewBody,
  errors: [409],
  answers: { 200: BatchExportPreviewBody },
  summary: 'Preview an unsaved batch export',
  description:
    'The preview is not stored, and the destination is not contacted. To see the rows, the caller also needs the ' +
    'access levels and scopes for events and persons.',
  async handle({ project, caller, rights, body }, { previews }: ExportsApi) {
    const newExport = newExportOf(body);
    ensureMayPreview({ caller, rights }, newExport.model, newExport.content);
    return json(200, presentPreview(await previews.previewNew(project.id, newExport, intervalOf(body))));
  },
});

const previewStored = route({
  method: 'post',
  path: '/batch_exports/:id/preview/',
  access: { scope: 'batch_export:write', object: EXPORT_BY_ID },
  params: BatchExportParams,
  body: PatchPreviewBody,
  errors: [409],
  answers: { 200: BatchExportPreviewBody },
  summary: 'Preview a saved batch export, with or without changes',
  description:
    'The preview is not stored, and the destination is not contacted. To see the rows, the caller also needs the ' +
    'access levels and scopes for events and persons.',
  async handle({ project, caller, rights, params, body }, { batchExports, previews }: ExportsApi) {
    const current = await batchExports.get(project.id, params.id);
    const patch = patchOf(body, current);
    ensureMayPreview({ caller, rights }, current.model, { ...current.content, ...patch.content });
    return json(200, presentPreview(await previews.previewChange(project.id, params.id, patch, intervalOf(body))));
  },
});

export const previewRoutes = [previewNew, previewStored];

function intervalOf(body: { data_interval_start?: string; data_interval_end?: string }): PreviewInterval | undefined {
  const { data_interval_start: start, data_interval_end: end } = body;
  if (start === undefined && end === undefined) return undefined;
  const missing = start === undefined ? 'data_interval_start' : 'data_interval_end';
  if (start === undefined || end === undefined) throw new InvalidInput('This field is required.', missing, 'required');
  return { start: readDatetime(start, 'data_interval_start'), end: readDatetime(end, 'data_interval_end') };
}

function presentPreview({ start, end, rows, columns, sample, names }: Preview): Static<typeof BatchExportPreviewBody> {
  return {
    data_interval_start: start,
    data_interval_end: end,
    records_total_count: rows,
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows: sample,
    names,
  };
}
