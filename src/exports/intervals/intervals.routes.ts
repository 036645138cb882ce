/** `/batch_exports/:id/intervals/`: the data intervals of an export, and the state of each. */
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { momentIfGiven } from '../../platform/http/parameters/moment.ts';
import { json, route } from '../../platform/http/route.ts';
import { stringEnum, Type } from '../../platform/schema.ts';
import { BatchExportParams, type ExportsApi, EXPORT_BY_ID } from '../api.ts';
import { checkBeginning } from '../backfills/backfill-range.ts';
import { presentInterval } from '../backfills/backfills.present.ts';
import { IntervalBody } from '../backfills/backfills.schema.ts';
import { INTERVAL_STATUSES } from '../domain/interval-status.ts';
import { isoMicros } from '../domain/instants.ts';

const Query = Type.Object({
  ...cursorQuery(100).properties,
  status: Type.Array(stringEnum(INTERVAL_STATUSES), {
    default: [],
    description: 'Returns only intervals with these statuses; may be repeated.',
  }),
  start: Type.Optional(
    Type.String({
      description:
        'Returns only intervals that start at or after this time: a datetime or a relative time such as `-7d`. ' +
        'Defaults to the interval in which the export was created; backfilled history may be older.',
    }),
  ),
  end: Type.Optional(
    Type.String({ description: 'Returns only intervals that end at or before this time; now by default.' }),
  ),
});

const listIntervals = route({
  method: 'get',
  path: '/batch_exports/:id/intervals/',
  access: { scope: 'batch_export:read', object: EXPORT_BY_ID },
  params: BatchExportParams,
  query: Query,
  answers: { 200: cursorPageOf(IntervalBody) },
  summary: 'List the data intervals of a batch export, newest first',
  description:
    'To deliver missing, failed or stale intervals, send one request to `backfills/` with the same range and ' +
    '`only`.',
  async handle({ project, params, query, url }, { batchExports, intervals }: ExportsApi) {
    const batchExport = await batchExports.get(project.id, params.id);
    const range = {
      start: momentIfGiven(query.start, 'start'),
      end: momentIfGiven(query.end, 'end'),
    };
    if (range.start !== undefined) checkBeginning(range.start, 'start');
    const load = async (page: PageWindow) => {
      const found = await intervals.list(batchExport, range, query.status, page);
      return found.map((state) => ({ ...state, createdAt: isoMicros(state.end), id: '' }));
    };
    return json(200, await cursorPage(url, query, load, presentInterval, (id) => id === ''));
  },
});

export const intervalRoutes = [listIntervals];
