/** `/batch_exports/`: create, list, retrieve, change, delete. */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidInput } from '../../platform/errors.ts';
import type { Rights } from '../../platform/http/access.ts';
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import {
  entityTag,
  expectedVersion,
  locationHeader,
  preferRepresentation,
} from '../../platform/http/parameters/preconditions.ts';
import { json, noBody, route, type Answer } from '../../platform/http/route.ts';
import { BatchExportParams, type ExportsApi, EXPORT_BY_ID } from '../api.ts';
import type { BatchExport } from './batch-export.ts';
import type { ExportPatch, NewExport } from './batch-exports.ts';
import {
  BatchExportBody,
  BatchExportPatchBody,
  BatchExportPutBody,
  NewBatchExportBody,
} from './batch-exports.schema.ts';
import { contentPatchOf } from './content-fields.ts';
import { presentBatchExport } from './present.ts';
import { ensureMayExport, ensureMayRedirect } from './raw-data.ts';
import { scheduleChangeOf } from '../schedules/schedule-fields.ts';

const LATEST_RUNS = 10;

const createBatchExport = route({
  method: 'post',
  path: '/batch_exports/',
  errors: [409],
  access: { scope: 'batch_export:write' },
  body: NewBatchExportBody,
  answers: { 201: BatchExportBody },
  summary: 'Create a batch export',
  async handle({ project, caller, rights, body, url }, api: ExportsApi) {
    const newExport = newExportOf(body);
    ensureMayExport({ rights }, newExport);
    const created = await api.batchExports.create(project.id, newExport, caller);
    return json(201, withLevel(rights, created, presentBatchExport(created)), {
      ETag: entityTag(created.version),
      ...locationHeader(url, created.id),
    });
  },
});

const listBatchExports = route({
  method: 'get',
  path: '/batch_exports/',
  access: { scope: 'batch_export:read', filtered: true },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(BatchExportBody) },
  summary: 'List batch exports, newest first',
  async handle({ project, rights, query, url }, { batchExports, runs }: ExportsApi) {
    const visible = rights.visible('batch_export');
    const page = await batchExports.list(project.id, pageBounds(query), visible);
    const ids = page.results.map(({ id }) => id);
    const [latest, freshness, errors] = await loadState(ids, { runs, batchExports });
    const results = page.results.map((row) =>
      withLevel(rights, row, presentBatchExport(row, latest.get(row.id), freshness.get(row.id), errors.get(row.id))),
    );
    return json(200, offsetPage(url, query, { count: page.count, results }));
  },
});

const getBatchExport = route({
  method: 'get',
  path: '/batch_exports/:id/',
  access: { scope: 'batch_export:read', object: EXPORT_BY_ID },
  params: BatchExportParams,
  answers: { 200: BatchExportBody },
  summary: 'Retrieve a batch export',
  async handle({ project, params, rights }, api: ExportsApi) {
    return exportAnswer(await api.batchExports.get(project.id, params.id), api, rights);
  },
});

const patchBatchExport = route({
  method: 'patch',
  path: '/batch_exports/:id/',
  errors: [409, 412],
  access: { scope: 'batch_export:write', object: EXPORT_BY_ID },
  params: BatchExportParams,
  body: BatchExportPatchBody,
  answers: { 200: BatchExportBody },
  summary: 'Update a batch export',
  description:
    'A stale `If-Match` header is refused with 412. A new interval, time zone or offset takes effect at the ' +
    'end of the current interval.',
  async handle({ project, caller, rights, params, body, headers }, api: ExportsApi) {
    const current = await api.batchExports.get(project.id, params.id);
    const patch = patchOf(body, current);
    ensureMayRedirect({ rights }, current, patch);
    const version = expectedVersion(headers);
    const updated = await api.batchExports.patch(project.id, params.id, patch, { version, by: caller });
    return exportAnswer(updated, api, rights);
  },
});

const putBatchExport = route({
  method: 'put',
  path: '/batch_exports/:id/',
  errors: [409, 412],
  access: { scope: 'batch_export:write', object: EXPORT_BY_ID },
  params: BatchExportParams,
  body: BatchExportPutBody,
  answers: { 200: BatchExportBody },
  summary: 'Update a batch export, with its name, destination and interval required',
  description:
    'Otherwise the same as PATCH: omitted fields keep their values, and `config` is merged into the stored ' +
    'configuration.',
  handle: patchBatchExport.handle,
});

const deleteBatchExport = route({
  method: 'delete',
  path: '/batch_exports/:id/',
  access: { scope: 'batch_export:write', object: EXPORT_BY_ID },
  params: BatchExportParams,
  answers: { 204: null },
  summary: 'Delete a batch export',
  description: 'Also cancels the runs of the export. Delivered data is kept.',
  async handle({ project, caller, params }, { batchExports }: ExportsApi) {
    await batchExports.delete(project.id, params.id, caller);
    return noBody(204);
  },
});

export const batchExportRoutes = [
  createBatchExport,
  listBatchExports,
  getBatchExport,
  putBatchExport,
  patchBatchExport,
  deleteBatchExport,
];

function loadState(ids: readonly string[], { runs, batchExports }: Pick<ExportsApi, 'runs' | 'batchExports'>) {
  return Promise.all([runs.latest(ids, LATEST_RUNS), batchExports.freshness(ids), runs.unresolvedErrors(ids)]);
}

async function exportAnswer(batchExport: BatchExport, api: ExportsApi, rights: Rights): Promise<Answer> {
  const [latest, freshness, errors] = await loadState([batchExport.id], api);
  const body = presentBatchExport(
    batchExport,
    latest.get(batchExport.id),
    freshness.get(batchExport.id),
    errors.get(batchExport.id),
  );
  return json(200, withLevel(rights, batchExport, body), { ETag: entityTag(batchExport.version) });
}

function withLevel(
  rights: Rights,
  { id, createdBy }: BatchExport,
  body: ReturnType<typeof presentBatchExport>,
): BatchExportBody {
  return { ...body, user_access_level: rights.levelOf('batch_export', { id, createdBy }) };
}

/** Answers with an empty body, as upstream does, unless the client asks for the export with `Prefer: return=representation`. */
export function emptyOrPreferred(
  batchExport: BatchExport,
  headers: IncomingHttpHeaders,
  api: ExportsApi,
  rights: Rights,
): Promise<Answer> {
  return preferRepresentation(headers, noBody(200), () => exportAnswer(batchExport, api, rights));
}

export function newExportOf(body: NewBatchExportBody): NewExport {
  return {
    name: body.name,
    model: body.model,
    destination: destinationOf(body.destination),
    interval: body.interval,
    paused: body.paused,
    startAt: null,
    endAt: null,
    ...optionalFields(body),
  };
}

export function patchOf(body: BatchExportPatchBody, current: BatchExport): ExportPatch {
  if (body.model !== undefined && body.model !== current.model) {
    throw new InvalidInput('Changing models is not supported. Create a new batch export instead.', 'model');
  }
  const { name, destination, interval, paused, last_paused_at } = body;
  const lastPausedAt = instantOrNull(last_paused_at, 'last_paused_at');
  return {
    ...omitUndefined({ name, destination: destination && destinationOf(destination), interval, paused, lastPausedAt }),
    ...optionalFields(body),
  };
}

/** Fields that may be left out of a new export and of a change. */
function optionalFields(body: NewBatchExportBody | BatchExportPatchBody) {
  return {
    ...scheduleChangeOf(body),
    ...omitUndefined({
      maxConcurrentRuns: body.max_concurrent_runs,
      startAt: instantOrNull(body.start_at, 'start_at'),
      endAt: instantOrNull(body.end_at, 'end_at'),
      redeliverStale: body.redeliver_stale,
      freshnessTargetSeconds: body.freshness_target_seconds,
      notifications: body.notifications,
    }),
    ...contentPatchOf(body),
  };
}

/** Returns undefined for an absent field, which a PATCH keeps, and null for null, which clears the field. */
function instantOrNull(text: string | null | undefined, attr: string): string | null | undefined {
  return typeof text === 'string' ? readDatetime(text, attr) : text;
}

function destinationOf(destination: NonNullable<BatchExportPatchBody['destination']>): NewExport['destination'] {
  const { type, config, integration = destination.integration_id } = destination;
  return { type, config: config ?? {}, integration };
}
