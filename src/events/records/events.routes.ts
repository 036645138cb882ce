/** `/events/`: the stored events. */
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { rawAccess, type RawAccess } from '../../people/access/raw-data.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { EventStore, StoredEvent } from './events.store.ts';

export type EventsApi = { events: EventStore };

const Properties = Type.Record(Type.String(), Type.Unknown());

const EventBody = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The UUID of the event.' }),
    event: Type.String(),
    distinct_id: Type.String(),
    person_id: Type.String({ format: 'uuid', description: 'The ID of the person at the time the event was stored.' }),
    properties: Properties,
    person_properties: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The properties of the person at the time of the event; absent if the caller may not view persons.',
      }),
    ),
    elements_chain: Type.String(),
    timestamp: Type.String({ format: 'date-time', description: 'The time when the event happened.' }),
    created_at: Type.String({ format: 'date-time', description: 'The time when the event was received.' }),
  },
  { title: 'Event' },
);

const Query = Type.Object({
  ...cursorQuery(100).properties,
  event: Type.Optional(Type.String({ maxLength: 400, description: 'Returns only events with this name.' })),
  distinct_id: Type.Optional(Type.String({ maxLength: 400 })),
  person_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Returns only events stored with this person or with one of its current distinct IDs.',
    }),
  ),
  after: Type.Optional(
    Type.String({ description: 'Returns only events with a later timestamp, as an ISO 8601 datetime.' }),
  ),
  before: Type.Optional(
    Type.String({ description: 'Returns only events with an earlier timestamp, as an ISO 8601 datetime.' }),
  ),
});

/** @param access of the reader, who may see events but not persons */
function present({ uuid, ...event }: StoredEvent, access: RawAccess): Static<typeof EventBody> {
  return {
    id: uuid,
    event: event.event,
    distinct_id: event.distinctId,
    person_id: event.personId,
    properties: event.properties as Static<typeof Properties>,
    ...(access.refusal(['person']) === undefined && {
      person_properties: event.personProperties as Static<typeof Properties>,
    }),
    elements_chain: event.elementsChain,
    timestamp: event.timestamp,
    created_at: event.createdAt,
  };
}

const listEvents = route({
  method: 'get',
  path: '/events/',
  access: { scope: 'event:read' },
  query: Query,
  answers: { 200: cursorPageOf(EventBody) },
  summary: 'List events, most recently stored first',
  description:
    'Historical events are ordered by their timestamps. Large events make pages shorter; `next` shows whether ' +
    'there are more. The search runs from the newest event for at most five seconds and then responds with ' +
    '503: combine `after` with filters that match few events.',
  async handle({ project, caller, rights, query, url }, { events }: EventsApi) {
    const filter = {
      event: query.event,
      distinctId: query.distinct_id,
      personId: query.person_id,
      after: query.after === undefined ? undefined : readDatetime(query.after, 'after'),
      before: query.before === undefined ? undefined : readDatetime(query.before, 'before'),
    };
    const access = rawAccess({ caller, rights });
    const load = (page: PageWindow) => events.list(project.id, filter, page);
    return json(200, await cursorPage(url, query, load, ({ stored }) => present(stored, access)));
  },
});

const getEvent = route({
  method: 'get',
  path: '/events/:id/',
  access: { scope: 'event:read' },
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  answers: { 200: EventBody },
  summary: 'Retrieve an event',
  async handle({ project, caller, rights, params }, { events }: EventsApi) {
    return json(200, present(await events.get(project.id, params.id), rawAccess({ caller, rights })));
  },
});

export const eventRoutes = [listEvents, getEvent];
