/**
 * `/batch_exports/:batch_export_id/backfills/`: requests, previews, lists and cancels backfills.
 * `/batch_exports/:id/backfill/` is upstream's older endpoint for requesting one.
 */
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { preferRepresentation } from '../../platform/http/parameters/preconditions.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { stringEnum, Type } from '../../platform/schema.ts';
import {
  backfillLocation,
  BatchExportParams,
  type ExportsApi,
  PARENT_EXPORT,
  BatchExportListParams,
  EXPORT_BY_ID,
  BatchExportItemParams,
} from '../api.ts';
import { parseOnly, parseRange } from './backfill-range.ts';
import { presentBackfill, presentPreview } from './backfills.present.ts';
import {
  BackfillBody,
  BackfillIdBody,
  CancelledBody,
  NewBackfillBody,
  OutdatedPlanBody,
  PreviewBody,
} from './backfills.schema.ts';

/** Upstream's message when the export of a requested backfill does not exist. */
const EXPORT_NOT_FOUND = 'BatchExport not found.';

const requestBackfill = route({
  method: 'post',
  path: '/batch_exports/:id/backfill/',
  access: { scope: 'batch_export:write', object: { ...EXPORT_BY_ID, notFoundDetail: EXPORT_NOT_FOUND } },
  params: BatchExportParams,
  body: NewBackfillBody,
  answers: { 200: null, 409: OutdatedPlanBody },
  summary: 'Backfill past data intervals',
  description:
    'Requests a run for every data interval that lies wholly within the range, even while the export is ' +
    'paused. The `Location` header identifies the backfill. Data delivered earlier is replaced, so repeating ' +
    'the request is harmless. `only`, `plan` and `dry_run` work as in `backfills/`.',
  async handle({ project, caller, params, body, headers, url }, { batchExports, backfills }: ExportsApi) {
    const batchExport = await batchExports.get(project.id, params.id);
    const range = { ...parseRange(body, batchExport, { strict: false }), only: parseOnly(body.only), plan: body.plan };
    if (body.dry_run) return json(200, presentPreview(await backfills.preview(project.id, params.id, range)));
    const backfill = await backfills.request(project.id, params.id, range, caller);
    const answer = noBody(200, backfillLocation(url, params.id, backfill.id));
    return preferRepresentation(headers, answer, () => json(200, presentBackfill(backfill)));
  },
});

const createBackfill = route({
  method: 'post',
  path: '/batch_exports/:batch_export_id/backfills/',
  access: { scope: 'batch_export:write', object: { ...PARENT_EXPORT, notFoundDetail: EXPORT_NOT_FOUND } },
  params: BatchExportListParams,
  body: NewBackfillBody,
  answers: { 200: PreviewBody, 201: Type.Union([BackfillIdBody, BackfillBody]), 409: OutdatedPlanBody },
  summary: 'Create or preview a backfill of past data intervals',
  description:
    'Ranges of daily, weekly and monthly exports must be given as plain dates. With `dry_run`, nothing ' +
    'changes: the response lists the intervals that would run, and its `plan`, sent back with the same range, ' +
    'runs exactly these intervals or is refused with 409, whose `plan` is a new preview. Otherwise the `Location` header identifies the ' +
    'backfill.',
  async handle({ project, caller, params, body, headers, url }, { batchExports, backfills }: ExportsApi) {
    const { batch_export_id: id } = params;
    const batchExport = await batchExports.get(project.id, id);
    const range = { ...parseRange(body, batchExport, { strict: true }), only: parseOnly(body.only), plan: body.plan };
    if (body.dry_run) return json(200, presentPreview(await backfills.preview(project.id, id, range)));
    const backfill = await backfills.request(project.id, id, range, caller);
    const answer = json(201, { backfill_id: backfill.id }, backfillLocation(url, id, backfill.id));
    return preferRepresentation(headers, answer, () => json(201, presentBackfill(backfill)));
  },
});

const listBackfills = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/backfills/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportListParams,
  query: Type.Object({
    ...cursorQuery(50).properties,
    ordering: stringEnum(['created_at', '-created_at', 'start_at', '-start_at'], { default: '-created_at' }),
  }),
  answers: { 200: cursorPageOf(BackfillBody) },
  summary: 'List the backfills of a batch export, newest first',
  async handle({ project, params, query, url }, { batchExports, backfills, runs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    const column = query.ordering.endsWith('start_at') ? ('start_at' as const) : ('created_at' as const);
    const order = { by: column, ascending: !query.ordering.startsWith('-') };
    const load = async (page: PageWindow) => {
      const listed = await backfills.list(project.id, params.batch_export_id, page, order);
      return Promise.all(
        listed.map(async (backfill) => {
          // A cursor holds the value of the sort column.
          const createdAt = column === 'start_at' ? backfill.startAt : backfill.createdAt;
          return { id: backfill.id, createdAt, backfill, waitingReason: await runs.backfillWaitingReason(backfill) };
        }),
      );
    };
    return json(
      200,
      await cursorPage(url, query, load, ({ backfill, waitingReason }) => presentBackfill(backfill, waitingReason)),
    );
  },
});

const getBackfill = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/backfills/:id/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: BackfillBody },
  summary: 'Retrieve a backfill',
  async handle({ project, params }, { batchExports, backfills, runs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    const backfill = await backfills.get(project.id, params.batch_export_id, params.id);
    return json(200, presentBackfill(backfill, await runs.backfillWaitingReason(backfill)));
  },
});

const cancelBackfill = route({
  method: 'post',
  path: '/batch_exports/:batch_export_id/backfills/:id/cancel/',
  access: { scope: 'batch_export:write', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: CancelledBody },
  summary: 'Cancel a backfill',
  description:
    'Also cancels the runs of the backfill, except runs that are already committing their data and runs that ' +
    'another backfill requires.',
  async handle({ project, caller, params }, { backfills }: ExportsApi) {
    await backfills.cancel(project.id, params.batch_export_id, params.id, caller);
    return json(200, { cancelled: true });
  },
});

export const backfillRoutes = [requestBackfill, createBackfill, listBackfills, getBackfill, cancelBackfill];
