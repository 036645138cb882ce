/** `/erasures/`: persons that are deleted together with their events, and the deliveries that held their rows. */
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import {
  ERASED_DELIVERY_STATES,
  ERASURE_STATES,
  type ErasedDelivery,
  type Erasure,
  type ErasureStore,
} from './erasures.store.ts';
import { REMAINDER_REASONS } from '../table/erasing.ts';
import type { PersonAndGroupChanges } from './changes.ts';

export type ErasuresApi = { erasures: ErasureStore; peopleChanges: PersonAndGroupChanges };

const Id = Type.String({ format: 'uuid' });
const Instant = Type.String({ format: 'date-time' });
const ErasureParams = Type.Object({ id: Id });

export const ErasureBody = Type.Object(
  {
    id: Id,
    state: stringEnum(ERASURE_STATES, {
      description:
        '`pending` and `deleting`: rows are being deleted. `redelivering`: they are deleted, and data intervals are delivered again without ' +
        'them. `done`: deliveries were read back, and none holds rows. `done_with_remainder`: some do, or were not searched.',
    }),
    created_at: Instant,
    stored_before: Type.String({
      format: 'date-time',
      description: 'Rows of the persons that are stored from this time on are new data, and stay.',
    }),
    finished_at: nullable(Instant),
    persons: Type.Integer({ description: 'The number of persons deleted.' }),
    events_deleted: Type.Integer(),
    person_versions_deleted: Type.Integer({ description: 'The number of earlier states of the persons deleted.' }),
    deliveries: Type.Object(
      Object.fromEntries(ERASED_DELIVERY_STATES.map((state) => [state, Type.Integer()])) as Record<
        (typeof ERASED_DELIVERY_STATES)[number],
        ReturnType<typeof Type.Integer>
      >,
      { description: 'The numbers of deliveries by state; see `deliveries/`.' },
    ),
  },
  { title: 'Erasure' },
);

const ErasedDeliveryBody = Type.Object(
  {
    batch_export_id: Id,
    data_interval_start: Instant,
    data_interval_end: Instant,
    destination_type: Type.String(),
    run_id: nullable(Type.String({ format: 'uuid', description: 'The run that delivered the rows, if it is known.' })),
    rows: Type.Integer({
      description: 'The number of rows of the persons that were deleted from the data interval; of sessions, at most.',
    }),
    state: stringEnum(ERASED_DELIVERY_STATES, {
      description:
        '`held`: to be delivered again. `clean`: delivered without the rows since, read back and searched. `remainder`: rows remain, see `reason`. `not_searched`: a ' +
        'range of delivered data intervals whose source had expired. `handled`: somebody has removed what remained.',
    }),
    reason: nullable(stringEnum(REMAINDER_REASONS)),
    rows_found: nullable(
      Type.Integer({
        description:
          'The number of rows of the persons that were found when the latest delivery was read back; null: it was not searched. Of rows in a table of persons, such that ' +
          'could not be deleted.',
      }),
    ),
    kept_until: nullable(Type.String({ format: 'date-time', description: 'When the rows go, if it is known.' })),
    handled_at: nullable(Type.String({ format: 'date-time', description: 'When `mark_handled` was called for it.' })),
  },
  { title: 'ErasedDelivery' },
);

export function presentErasure(erasure: Erasure): Static<typeof ErasureBody> {
  return {
    id: erasure.id,
    state: erasure.state,
    created_at: erasure.createdAt,
    stored_before: erasure.storedBefore,
    finished_at: erasure.finishedAt,
    persons: erasure.persons,
    events_deleted: erasure.eventsDeleted,
    person_versions_deleted: erasure.personVersionsDeleted,
    deliveries: erasure.deliveries,
  };
}

function presentDelivery(delivery: ErasedDelivery): Static<typeof ErasedDeliveryBody> {
  return {
    batch_export_id: delivery.batchExportId,
    data_interval_start: delivery.start,
    data_interval_end: delivery.end,
    destination_type: delivery.destinationType,
    run_id: delivery.runId,
    rows: delivery.rows,
    state: delivery.state,
    reason: delivery.reason,
    rows_found: delivery.rowsFound,
    kept_until: delivery.keptUntil,
    handled_at: delivery.handledAt,
  };
}

const listErasures = route({
  method: 'get',
  path: '/erasures/',
  access: { scope: 'person:read' },
  query: cursorQuery(100),
  answers: { 200: cursorPageOf(ErasureBody) },
  summary: 'List erasures of persons, newest first',
  async handle({ project, query, url }, { erasures }: ErasuresApi) {
    const load = (page: PageWindow) => erasures.list(project.id, page);
    return json(200, await cursorPage(url, query, load, presentErasure));
  },
});

const getErasure = route({
  method: 'get',
  path: '/erasures/:id/',
  access: { scope: 'person:read' },
  params: ErasureParams,
  answers: { 200: ErasureBody },
  summary: 'Retrieve an erasure of persons',
  async handle({ project, params }, { erasures }: ErasuresApi) {
    return json(200, presentErasure(await erasures.get(project.id, params.id)));
  },
});

const listDeliveries = route({
  method: 'get',
  path: '/erasures/:id/deliveries/',
  access: { scope: 'person:read' },
  params: ErasureParams,
  query: Type.Object({
    ...cursorQuery(100).properties,
    state: Type.Array(stringEnum(ERASED_DELIVERY_STATES), {
      default: [],
      description: 'Returns only deliveries in these states; may be repeated.',
    }),
  }),
  answers: { 200: cursorPageOf(ErasedDeliveryBody) },
  summary: 'List the deliveries that held rows of an erasure, newest data interval first',
  description: 'Leaves out deliveries of batch exports that you may not see.',
  async handle({ project, rights, params, query, url }, { erasures }: ErasuresApi) {
    const erasure = await erasures.get(project.id, params.id);
    const wanted = { states: query.state, visible: rights.visible('batch_export') };
    const load = (page: PageWindow) => erasures.listDeliveries(erasure, wanted, page);
    return json(200, await cursorPage(url, query, load, presentDelivery));
  },
});

const markHandled = route({
  method: 'post',
  path: '/erasures/:id/mark_handled/',
  access: { scope: 'person:write' },
  params: ErasureParams,
  body: Type.Object({
    batch_export_id: Id,
    data_interval_start: Type.Optional(
      Type.String({ format: 'date-time', description: 'The start of the earliest data interval; absent: no limit.' }),
    ),
    data_interval_end: Type.Optional(
      Type.String({ format: 'date-time', description: 'The end of the latest data interval; absent: no limit.' }),
    ),
  }),
  answers: { 200: ErasureBody },
  summary: 'Say that you have removed what an erasure could not remove',
  description:
    'Marks deliveries of a batch export in the states `remainder` and `not_searched` as `handled`. They are not checked any more, and once nothing else ' +
    'remains, the erasure is `done`. The call is written to the activity log.',
  async handle({ project, caller, rights, params, body }, { erasures, peopleChanges }: ErasuresApi) {
    const remainder = {
      batchExportId: body.batch_export_id,
      from: body.data_interval_start ?? null,
      to: body.data_interval_end ?? null,
    };
    await peopleChanges.markHandled({ project, by: caller }, params.id, remainder, rights.visible('batch_export'));
    return json(200, presentErasure(await erasures.get(project.id, params.id)));
  },
});

export const erasureRoutes = [listErasures, getErasure, listDeliveries, markHandled];
