/** `/batch_exports/:id/intervals/map/`: the states of all data intervals of an export, for an overview of years. */
import { createHash } from 'node:crypto';
import { InvalidInput } from '../../platform/errors.ts';
import { momentIfGiven } from '../../platform/http/parameters/moment.ts';
import { entityTag, matchesTag } from '../../platform/http/parameters/preconditions.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import { BatchExportParams, type ExportsApi, EXPORT_BY_ID } from '../api.ts';
import { checkBeginning } from '../backfills/backfill-range.ts';
import type { Cadence } from '../domain/cadence.ts';
import type { Bucket } from './interval-cells.ts';
import { MAX_BUCKETED_INTERVALS, MAX_CELLS } from './interval-map.ts';
import { presentMap } from './interval-map.present.ts';
import { CODE_TABLE, IntervalMapBody } from './interval-map.schema.ts';

const CALENDAR_BUCKETS = ['hour', 'day', 'month'];

const Query = Type.Object({
  start: Type.Optional(
    Type.String({
      description:
        'The start of the range: a datetime or a relative time such as `-7d`. Only intervals that lie wholly within the range are ' +
        'included. Defaults to the interval in which the export was created, or to the newest intervals that a map may have; `history_start` of a response says where older runs begin.',
    }),
  ),
  end: Type.Optional(Type.String({ description: 'The end of the range; now by default.' })),
  bucket: Type.Optional(
    Type.String({
      description:
        'The intervals that one cell shows: `hour`, `day`, `month` (those that start in it: hours in UTC, days and months in the time zone of ' +
        'the export) or a number of consecutive intervals. The state of a bucket is that of its most urgent interval, in the order needs ' +
        'you, retrying, running, waiting, paused, stale, none, held. One interval by default.',
      examples: ['day'],
    }),
  ),
});

const mapIntervals = route({
  method: 'get',
  path: '/batch_exports/:id/intervals/map/',
  access: { scope: 'batch_export:read', object: EXPORT_BY_ID },
  params: BatchExportParams,
  query: Query,
  answers: { 200: IntervalMapBody, 304: null },
  summary: 'Retrieve the states of all data intervals of a batch export',
  description:
    'States that `intervals/` lists one by one, as a map in run-length encoding. The response has an `ETag`; with `If-None-Match` it ' +
    `is 304 if nothing changed. A map has ${MAX_CELLS} cells at most, with \`bucket\` of ${MAX_BUCKETED_INTERVALS} intervals at most.\n\n` +
    `${CODE_TABLE}\n\n`,
  async handle({ project, params, query, headers }, { batchExports, intervals }: ExportsApi) {
    const batchExport = await batchExports.get(project.id, params.id);
    const range = { start: momentIfGiven(query.start, 'start'), end: momentIfGiven(query.end, 'end') };
    if (range.start !== undefined) checkBeginning(range.start, 'start');
    if (range.start !== undefined && range.end !== undefined && range.start >= range.end)
      throw new InvalidInput("'start' must be before 'end'.", 'start');
    const bucket = query.bucket || null;
    const map = await intervals.map(batchExport, range, bucket === null ? undefined : bucketOf(bucket, batchExport));
    const body = Buffer.from(JSON.stringify(presentMap(map, bucket)));
    const caching = {
      ETag: entityTag(createHash('sha256').update(body).digest('base64url')),
      'Cache-Control': 'private, no-cache',
    };
    return matchesTag(headers, caching.ETag) ? noBody(304, caching) : json(200, body, caching);
  },
});

export const intervalMapRoutes = [mapIntervals];

/** @throws InvalidInput */
function bucketOf(text: string, { timezone }: Cadence): Bucket {
  if (CALENDAR_BUCKETS.includes(text)) return { cadence: { interval: text, timezone, offsetDay: 0, offsetHour: 0 } };
  const intervals = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0;
  if (intervals >= 1 && intervals <= MAX_BUCKETED_INTERVALS) return { intervals };
  throw new InvalidInput(
    `"${text.slice(0, 100)}" is not a bucket. Use hour, day, month, or a number of intervals from 1 to ${MAX_BUCKETED_INTERVALS}.`,
    'bucket',
    'invalid_choice',
  );
}
