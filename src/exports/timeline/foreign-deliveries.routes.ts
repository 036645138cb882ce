/** `/batch_exports/:batch_export_id/foreign_deliveries/`: deliveries at a destination that this database did not make. */
import { json, noBody, route } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { type ExportsApi, PARENT_EXPORT, BatchExportListParams, BatchExportItemParams } from '../api.ts';
import { SIDES, type ForeignDelivery } from './foreign-deliveries.store.ts';

const PAGE = 100;
const Instant = Type.String({ format: 'date-time' });

const ForeignDeliveryBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    data_interval_start: Instant,
    data_interval_end: Instant,
    run_id: nullable(
      Type.String({
        description:
          'The ID of the run that delivered the interval, as recorded at the destination; null if not recorded.',
      }),
    ),
    timeline: nullable(
      Type.String({ description: 'The timeline of the database that ran the delivery; null if not recorded.' }),
    ),
    epoch: Type.Integer(),
    rows: Type.Integer(),
    bytes: Type.Integer(),
    location: Type.String(),
    interrupted: Type.Boolean({
      description:
        'True if the commit of the delivery was interrupted, so that readers ignore it and only `ours` can be accepted.',
    }),
    found_at: Instant,
  },
  { title: 'ForeignDelivery' },
);

const List = Type.Object({ results: Type.Array(ForeignDeliveryBody) });

const Query = Type.Object({
  after: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Returns only deliveries of data intervals that end after this time; for the next page, the end of the ' +
        'last interval.',
    }),
  ),
});

const listForeignDeliveries = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/foreign_deliveries/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportListParams,
  query: Query,
  answers: { 200: List },
  summary: 'List deliveries of another timeline that await a decision',
  description: `Deliveries at the destination that this database did not make, for example after a restore; oldest interval first, at most ${PAGE}. None of them has been replaced.`,
  async handle({ project, params, query }, { batchExports, foreignDeliveries }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    const delivery = await foreignDeliveries.listWaiting(params.batch_export_id, {
      limit: PAGE,
      ...(query.after !== undefined && { after: query.after }),
    });
    return json(200, { results: delivery.map(presentForeignDelivery) });
  },
});

const acceptDelivery = route({
  method: 'post',
  path: '/batch_exports/:batch_export_id/foreign_deliveries/:id/accept/',
  access: { scope: 'batch_export:write', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  body: Type.Object({
    side: stringEnum(SIDES, {
      description:
        '`theirs`: keep the delivery at the destination and record its receipt for the interval. `ours`: deliver ' +
        'the interval again and replace it.',
    }),
  }),
  answers: { 204: null },
  summary: 'Choose which delivery of a data interval to keep',
  description:
    '`theirs` is refused with 409 while a run of the interval is in progress or requested, and if the delivery ' +
    'was interrupted.',
  async handle({ project, caller, params, body }, { foreignDeliveries }: ExportsApi) {
    await foreignDeliveries.accept(project.id, params.batch_export_id, params.id, body.side, caller);
    return noBody(204);
  },
});

export const foreignDeliveryRoutes = [listForeignDeliveries, acceptDelivery];

function presentForeignDelivery(delivery: ForeignDelivery): Static<typeof ForeignDeliveryBody> {
  const { rows, bytes, location, interrupted = false } = delivery.receipt;
  return {
    id: delivery.id,
    data_interval_start: delivery.start,
    data_interval_end: delivery.end,
    run_id: delivery.runId,
    timeline: delivery.timeline,
    epoch: delivery.epoch,
    rows,
    bytes,
    location,
    interrupted,
    found_at: delivery.foundAt,
  };
}
