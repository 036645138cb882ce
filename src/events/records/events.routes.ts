/** `/events/`: what arrived. */
import { datetimeOf } from '../../platform/http/parameters/datetime.ts';
import { cursorPage, cursorPageOf, cursorQuery, type Place } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { rawAccess, type RawAccess } from '../../people/access/raw-data.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { EventStore, StoredEvent } from './events.store.ts';

export type EventsApi = { events: EventStore };

const Properties = Type.Record(Type.String(), Type.Unknown());

const EventBody = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The event’s uuid.' }),
    event: Type.String(),
    distinct_id: Type.String(),
    person_id: Type.String({ format: 'uuid', description: 'The person that the event was stored with.' }),
    properties: Properties,
    person_properties: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The person’s properties as the event left them; absent for who may not see persons.',
      }),
    ),
    elements_chain: Type.String(),
    timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
    created_at: Type.String({ format: 'date-time', description: 'When it was received.' }),
  },
  { title: 'Event' },
);

const Query = Type.Object({
  ...cursorQuery(100).properties,
  event: Type.Optional(Type.String({ maxLength: 400, description: 'Only events of this name.' })),
  distinct_id: Type.Optional(Type.String({ maxLength: 400 })),
  person_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only events of the distinct ids that this person has, and those that were stored with this person.',
    }),
  ),
  after: Type.Optional(Type.String({ description: 'Only events with a later timestamp. ISO 8601.' })),
  before: Type.Optional(Type.String({ description: 'Only events with an earlier timestamp. ISO 8601.' })),
});

/** @param access of who looks: persons may be closed to those who see events */
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
  summary: 'List events, the one that was stored last first',
  description:
    'History takes its place by its timestamps. Large events make short pages: `next` says whether there is more. Events are ' +
    'looked through from the newest on, for five seconds at most (503): give `after` with a filter that few events pass.',
  async handle({ project, caller, rights, query, url }, { events }: EventsApi) {
    const filter = {
      event: query.event,
      distinctId: query.distinct_id,
      personId: query.person_id,
      after: query.after === undefined ? undefined : datetimeOf(query.after, 'after'),
      before: query.before === undefined ? undefined : datetimeOf(query.before, 'before'),
    };
    const access = rawAccess({ caller, rights });
    const load = (place: Place) => events.list(project.id, filter, place);
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
