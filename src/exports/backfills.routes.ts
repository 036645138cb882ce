/** `/batch_exports/:id/backfill/` asks for one, `/batch_exports/:batch_export_id/backfills/` tells how they are. */
import { InvalidInput } from '../errors.ts';
import { parseDatetime } from '../http/datetime.ts';
import { cursorPage, cursorPageOf, cursorQuery, type Place } from '../http/pagination.ts';
import { prefersRepresentation, REPRESENTATION_APPLIED } from '../http/preconditions.ts';
import { json, noBody, route } from '../http/route.ts';
import {
  backfillAddress,
  BatchExportParams,
  OfBatchExportParams,
  PartOfBatchExportParams,
  type ExportsApi,
} from './api.ts';
import { BackfillBody, BackfillRequestBody } from './backfills.schema.ts';
import { presentBackfill } from './present.ts';

const requestBackfill = route({
  method: 'post',
  path: '/batch_exports/:id/backfill/',
  access: { scope: 'batch_export:write' },
  params: BatchExportParams,
  body: BackfillRequestBody,
  answers: { 200: null },
  summary: 'Deliver past data intervals',
  description:
    'Requests a run for every data interval that lies wholly within the range, also while the export is paused. `Location` names ' +
    'the backfill. What was delivered before is replaced, so asking twice is harmless.',
  async handle({ project, params, body, headers, url }, { backfills }: ExportsApi) {
    const range = { startAt: edgeOf(body.start_at, 'start_at'), endAt: edgeOf(body.end_at, 'end_at') };
    const backfill = await backfills.request(project.id, params.id, range);
    const location = { Location: backfillAddress(url, params.id, backfill.id) };
    if (!prefersRepresentation(headers)) return noBody(200, location);
    return json(200, presentBackfill(backfill), { ...location, ...REPRESENTATION_APPLIED });
  },
});

const listBackfills = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/backfills/',
  access: { scope: 'batch_export:read' },
  params: OfBatchExportParams,
  query: cursorQuery(50),
  answers: { 200: cursorPageOf(BackfillBody) },
  summary: 'List the backfills of a batch export, the newest first',
  async handle({ project, params, query, url }, { batchExports, backfills }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    const load = (place: Place) => backfills.list(project.id, params.batch_export_id, place);
    return json(200, await cursorPage(url, query, load, presentBackfill));
  },
});

const getBackfill = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/backfills/:id/',
  access: { scope: 'batch_export:read' },
  params: PartOfBatchExportParams,
  answers: { 200: BackfillBody },
  summary: 'Retrieve a backfill',
  async handle({ project, params }, { batchExports, backfills }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    return json(200, presentBackfill(await backfills.get(project.id, params.batch_export_id, params.id)));
  },
});

export const backfillRoutes = [requestBackfill, listBackfills, getBackfill];

/** @throws InvalidInput: unlike elsewhere a time must say its zone, because an hour too early or late is other data */
function edgeOf(text: string, attr: string): string {
  const given = parseDatetime(text);
  if (!given) throw new InvalidInput(`Input ${text.slice(0, 100)} is not a valid ISO formatted datetime.`, attr);
  if (!given.zoned && text.length > 'YYYY-MM-DD'.length) throw new InvalidInput(`Input ${text} is naive.`, attr);
  return given.instant;
}
