/** `/persons/`: who the events are about. */
import { InvalidInput } from '../../platform/errors.ts';
import { cursorPage, cursorPageOf, cursorQuery, type Place } from '../../platform/http/parameters/pagination.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { PeopleChanges } from './changes.ts';
import { displayName } from './display-name.ts';
import type { Person, PersonStore } from './persons.store.ts';

export type PersonsApi = { persons: PersonStore; peopleChanges: PeopleChanges };

const Id = Type.String({ format: 'uuid' });
const PersonParams = Type.Object({ id: Id });

export const PersonBody = Type.Object(
  {
    id: Id,
    uuid: Type.String({ format: 'uuid', description: 'The same as `id`.' }),
    name: Type.String({ description: 'An e-mail address, name or username from the properties; else a distinct id.' }),
    distinct_ids: Type.Array(Type.String(), { description: 'In alphabetical order, 100 at most.' }),
    distinct_id_count: Type.Integer({ description: 'How many there are in all.' }),
    properties: Type.Record(Type.String(), Type.Unknown()),
    is_identified: Type.Boolean(),
    created_at: Type.String({ format: 'date-time', description: 'When the person’s first event happened.' }),
  },
  { title: 'Person' },
);

export function presentPerson(person: Person): Static<typeof PersonBody> {
  return {
    id: person.id,
    uuid: person.id,
    name: displayName(person),
    distinct_ids: person.distinctIds,
    distinct_id_count: person.distinctIdCount,
    properties: person.properties,
    is_identified: person.isIdentified,
    created_at: person.createdAt,
  };
}

const listPersons = route({
  method: 'get',
  path: '/persons/',
  access: { scope: 'person:read' },
  query: Type.Object({
    ...cursorQuery(100).properties,
    distinct_id: Type.Optional(Type.String({ maxLength: 400, description: 'Only the person that has it.' })),
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Part of a distinct id or of the properties `email` and `name`.' }),
    ),
  }),
  answers: { 200: cursorPageOf(PersonBody) },
  summary: 'List persons, the newest first',
  description: 'A search is given up after five seconds (503).',
  async handle({ project, query, url }, { persons }: PersonsApi) {
    const filter = { distinctId: query.distinct_id, search: query.search };
    const load = (place: Place) => persons.list(project.id, filter, place);
    return json(200, await cursorPage(url, query, load, presentPerson));
  },
});

const getPerson = route({
  method: 'get',
  path: '/persons/:id/',
  access: { scope: 'person:read' },
  params: PersonParams,
  answers: { 200: PersonBody },
  summary: 'Retrieve a person',
  async handle({ project, params }, { persons }: PersonsApi) {
    return json(200, presentPerson(await persons.get(project.id, params.id)));
  },
});

const DeleteEvents = Type.Boolean({
  default: false,
  description: 'Only false: events stay, as exports delivered them.',
});
const AFTERWARDS =
  'Events stay as they were stored, and the deletion is a new version of the person for exports. The next event of one of ' +
  'the distinct ids makes a new person.';

const deletePerson = route({
  method: 'delete',
  path: '/persons/:id/',
  access: { scope: 'person:write' },
  params: PersonParams,
  query: Type.Object({ delete_events: DeleteEvents }),
  answers: { 204: null },
  summary: 'Delete a person',
  description: AFTERWARDS,
  async handle({ project, caller, params, query }, { peopleChanges }: PersonsApi) {
    refuseEvents(query.delete_events);
    await peopleChanges.deletePerson({ project, by: caller }, params.id);
    return noBody(204);
  },
});

const MAX_DELETED = 1000;

const deletePersons = route({
  method: 'post',
  path: '/persons/bulk_delete/',
  access: { scope: 'person:write' },
  body: Type.Object({
    ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_DELETED })),
    distinct_ids: Type.Optional(Type.Array(Type.String({ maxLength: 400 }), { minItems: 1, maxItems: MAX_DELETED })),
    delete_events: DeleteEvents,
  }),
  answers: { 200: Type.Object({ persons_deleted: Type.Integer() }) },
  summary: 'Delete the persons with these ids, or those that have these distinct ids',
  description: `All of them or none; ids that no person has are ignored. ${AFTERWARDS}`,
  async handle({ project, caller, body }, { peopleChanges }: PersonsApi) {
    refuseEvents(body.delete_events);
    const doing = { project, by: caller };
    const { ids, distinct_ids: distinctIds } = body;
    if (ids && distinctIds) throw new InvalidInput('Give ids or distinct_ids, not both.', 'distinct_ids');
    if (ids) return json(200, { persons_deleted: await peopleChanges.deletePersons(doing, { ids }) });
    if (!distinctIds) throw new InvalidInput('You need to specify either distinct_ids or ids.');
    return json(200, { persons_deleted: await peopleChanges.deletePersons(doing, { distinctIds }) });
  },
});

/** Exports would find intervals that they have delivered with fewer rows, and events that are sent again would stay away. */
function refuseEvents(deleteEvents: boolean): void {
  if (deleteEvents) throw new InvalidInput('Events cannot be deleted: persons only.', 'delete_events');
}

export const personRoutes = [listPersons, getPerson, deletePerson, deletePersons];
