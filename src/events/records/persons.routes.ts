/** `/persons/`: the persons of the project's events. */
import { InvalidInput } from '../../platform/errors.ts';
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { PersonAndGroupChanges } from './changes.ts';
import { displayName } from './display-name.ts';
import type { Person, PersonStore } from './persons.store.ts';

export type PersonsApi = { persons: PersonStore; peopleChanges: PersonAndGroupChanges };

const Id = Type.String({ format: 'uuid' });
const PersonParams = Type.Object({ id: Id });

export const PersonBody = Type.Object(
  {
    id: Id,
    uuid: Type.String({ format: 'uuid', description: 'The ID of the person, the same as `id`.' }),
    name: Type.String({
      description: 'The email address, name or username from the properties, or otherwise a distinct ID.',
    }),
    distinct_ids: Type.Array(Type.String(), { description: 'The first 100 distinct IDs in alphabetical order.' }),
    distinct_id_count: Type.Integer({ description: 'The total number of distinct IDs.' }),
    properties: Type.Record(Type.String(), Type.Unknown()),
    is_identified: Type.Boolean(),
    created_at: Type.String({ format: 'date-time', description: 'The time of the first event of the person.' }),
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
    distinct_id: Type.Optional(
      Type.String({ maxLength: 400, description: 'Returns only the person with this distinct ID.' }),
    ),
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Returns only persons for whom a distinct ID or the property `email` or `name` contains this text.',
      }),
    ),
  }),
  answers: { 200: cursorPageOf(PersonBody) },
  summary: 'List persons, newest first',
  description: 'Responds with 503 if a search takes longer than five seconds.',
  async handle({ project, query, url }, { persons }: PersonsApi) {
    const filter = { distinctId: query.distinct_id, search: query.search };
    const load = (page: PageWindow) => persons.list(project.id, filter, page);
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
  description: 'Must be false: events are kept, since exports have delivered them.',
});
const AFTERWARDS =
  'Events are kept unchanged, and exports deliver the deletion as a new version of the person. The next event with one of ' +
  'the distinct IDs creates a new person.';

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
    refuseDeletingEvents(query.delete_events);
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
  summary: 'Delete persons by ID or distinct ID',
  description: `Deletes all of the persons or none; unknown IDs are ignored. ${AFTERWARDS}`,
  async handle({ project, caller, body }, { peopleChanges }: PersonsApi) {
    refuseDeletingEvents(body.delete_events);
    const context = { project, by: caller };
    const { ids, distinct_ids: distinctIds } = body;
    if (ids && distinctIds) throw new InvalidInput('Give ids or distinct_ids, not both.', 'distinct_ids');
    if (ids) return json(200, { persons_deleted: await peopleChanges.deletePersons(context, { ids }) });
    if (!distinctIds) throw new InvalidInput('You need to specify either distinct_ids or ids.');
    return json(200, { persons_deleted: await peopleChanges.deletePersons(context, { distinctIds }) });
  },
});

/** Refuses to delete events: delivered intervals would have fewer rows at the source, and deleted events that are sent again would be lost. */
function refuseDeletingEvents(deleteEvents: boolean): void {
  if (deleteEvents) throw new InvalidInput('Events cannot be deleted: persons only.', 'delete_events');
}

export const personRoutes = [listPersons, getPerson, deletePerson, deletePersons];
