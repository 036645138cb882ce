/** `/persons/`: the persons of the project's events. */
import { InvalidInput } from '../../platform/errors.ts';
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { locationHeader } from '../../platform/http/parameters/preconditions.ts';
import type { PersonAndGroupChanges } from './changes.ts';
import { ErasureBody, presentErasure } from './erasures.routes.ts';
import { MAX_DISTINCT_IDS, type Erasure } from './erasures.store.ts';
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
  description: 'Also deletes all events and earlier states of the persons: the answer is then 202, with an erasure.',
});
const AFTERWARDS =
  'By default, events are kept unchanged. Exports deliver the deletion as a new version of the person. The next event with one of ' +
  'the distinct IDs creates a new person. With `delete_events`, the rows are deleted in the background, and data intervals that were delivered ' +
  'with them are delivered again without them where the destination permits it (`erasures/:id/`). Asked again before the erasure has ' +
  'ended (by distinct IDs: before it deletes rows), the answer is the same erasure.';

const deletePerson = route({
  method: 'delete',
  path: '/persons/:id/',
  access: { scope: 'person:write' },
  params: PersonParams,
  query: Type.Object({ delete_events: DeleteEvents }),
  answers: { 202: ErasureBody, 204: null },
  summary: 'Delete a person',
  description: AFTERWARDS,
  async handle({ project, caller, params, query, url }, { peopleChanges }: PersonsApi) {
    const context = { project, by: caller };
    if (query.delete_events) return erasureAnswer(url, await peopleChanges.erasePersons(context, { ids: [params.id] }));
    await peopleChanges.deletePerson(context, params.id);
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
  answers: { 200: Type.Object({ persons_deleted: Type.Integer() }), 202: ErasureBody },
  summary: 'Delete persons by ID or distinct ID',
  description:
    `Deletes all of the persons or none; unknown IDs are ignored. ${AFTERWARDS} Events with \`distinct_ids\` are also deleted if they ` +
    `have no person. With \`delete_events\`, the persons may have ${MAX_DISTINCT_IDS} distinct IDs in total, and 404 means that no person has one of the \`ids\`.`,
  async handle({ project, caller, body, url }, { peopleChanges }: PersonsApi) {
    const context = { project, by: caller };
    const selection = selectionFrom(body);
    if (body.delete_events) return erasureAnswer(url, await peopleChanges.erasePersons(context, selection));
    return json(200, { persons_deleted: await peopleChanges.deletePersons(context, selection) });
  },
});

function selectionFrom({ ids, distinct_ids: distinctIds }: { ids?: string[]; distinct_ids?: string[] }) {
  if (ids && distinctIds) throw new InvalidInput('Give ids or distinct_ids, not both.', 'distinct_ids');
  if (ids) return { ids };
  if (!distinctIds) throw new InvalidInput('You need to specify either distinct_ids or ids.');
  return { distinctIds };
}

function erasureAnswer(url: URL, erasure: Erasure) {
  const [before = ''] = url.pathname.split('/persons/', 1);
  return json(202, presentErasure(erasure), locationHeader(new URL(`${before}/erasures/`, url), erasure.id));
}

export const personRoutes = [listPersons, getPerson, deletePerson, deletePersons];
