/** `/groups/`: what events said of companies, teams and the like. */
import { cursorPage, cursorPageOf, cursorQuery, type Place } from '../../http/pagination.ts';
import { json, route } from '../../http/route.ts';
import { Type, type Static } from '../../schema.ts';
import type { Group, GroupStore } from './groups.store.ts';

export type GroupsApi = { groups: GroupStore };

const TypeIndex = Type.Integer({ minimum: 0, maximum: 4, description: 'Of the type, from `/groups_types/`.' });

const GroupBody = Type.Object(
  {
    group_type_index: Type.Integer(),
    group_key: Type.String(),
    group_properties: Type.Record(Type.String(), Type.Unknown()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Group' },
);

function present(group: Group): Static<typeof GroupBody> {
  return {
    group_type_index: group.typeIndex,
    group_key: group.id,
    group_properties: group.properties,
    created_at: group.createdAt,
  };
}

const listGroupTypes = route({
  method: 'get',
  path: '/groups_types/',
  access: { scope: 'group:read' },
  answers: {
    200: Type.Array(
      Type.Object({ group_type: Type.String(), group_type_index: Type.Integer() }, { title: 'GroupType' }),
    ),
  },
  summary: 'List the group types of the project: at most five, in the order in which they were first seen',
  async handle({ project }, { groups }: GroupsApi) {
    const types = await groups.types(project.id);
    return json(
      200,
      types.map(({ index, type }) => ({ group_type: type, group_type_index: index })),
    );
  },
});

const listGroups = route({
  method: 'get',
  path: '/groups/',
  access: { scope: 'group:read' },
  query: Type.Object({
    group_type_index: TypeIndex,
    ...cursorQuery(100).properties,
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Part of the key or of the property `name`; case does not matter.' }),
    ),
  }),
  answers: { 200: cursorPageOf(GroupBody) },
  summary: 'List the groups of a type, the newest first',
  async handle({ project, query, url }, { groups }: GroupsApi) {
    const load = (place: Place) => groups.list(project.id, query.group_type_index, query.search, place);
    return json(200, await cursorPage(url, query, load, present, isGroupKey));
  },
});

function isGroupKey(text: string): boolean {
  return !text.includes('\0');
}

const findGroup = route({
  method: 'get',
  path: '/groups/find/',
  access: { scope: 'group:read' },
  query: Type.Object({ group_type_index: TypeIndex, group_key: Type.String({ maxLength: 400 }) }),
  answers: { 200: GroupBody },
  summary: 'Retrieve a group by its key',
  async handle({ project, query }, { groups }: GroupsApi) {
    return json(200, present(await groups.get(project.id, query.group_type_index, query.group_key)));
  },
});

export const groupRoutes = [listGroupTypes, listGroups, findGroup];
