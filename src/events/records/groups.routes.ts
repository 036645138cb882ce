/** `/groups/`: companies, teams and the like, as events and this API described them. */
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { groupTypeRoutes, type GroupTypesApi } from './group-types.routes.ts';
import type { Group, GroupStore } from './groups.store.ts';

export type GroupsApi = GroupTypesApi & { groups: GroupStore };

const TypeIndex = Type.Integer({
  minimum: 0,
  maximum: 4,
  description: 'The index of the group type, from `/groups_types/`.',
});

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

const listGroups = route({
  method: 'get',
  path: '/groups/',
  access: { scope: 'group:read' },
  query: Type.Object({
    group_type_index: TypeIndex,
    ...cursorQuery(100).properties,
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Returns only groups whose key or property `name` contains this text, ignoring case.',
      }),
    ),
  }),
  answers: { 200: cursorPageOf(GroupBody) },
  summary: 'List the groups of a type, newest first',
  async handle({ project, query, url }, { groups }: GroupsApi) {
    const load = (page: PageWindow) => groups.list(project.id, query.group_type_index, query.search, page);
    return json(200, await cursorPage(url, query, load, present, isGroupKey));
  },
});

function isGroupKey(text: string): boolean {
  return !text.includes('\0');
}

const GroupKey = Type.String({ minLength: 1, maxLength: 400 });
const OneGroup = Type.Object({ group_type_index: TypeIndex, group_key: GroupKey });
const PropertyName = Type.String({ minLength: 1, maxLength: 400 });

function nameOf({ id }: { id: number }, query: Static<typeof OneGroup>) {
  return { projectId: id, typeIndex: query.group_type_index, key: query.group_key };
}

const findGroup = route({
  method: 'get',
  path: '/groups/find/',
  access: { scope: 'group:read' },
  query: OneGroup,
  answers: { 200: GroupBody },
  summary: 'Retrieve a group by its key',
  async handle({ project, query }, { groups }: GroupsApi) {
    return json(200, present(await groups.get(project.id, query.group_type_index, query.group_key)));
  },
});

const TAKES_EFFECT = 'It takes effect from the next flag evaluation for the group.';

const createGroup = route({
  method: 'post',
  path: '/groups/',
  access: { scope: 'group:write' },
  body: Type.Object(
    {
      group_type_index: TypeIndex,
      group_key: GroupKey,
      group_properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    },
    { title: 'NewGroup' },
  ),
  answers: { 201: GroupBody },
  summary: 'Create a group of an existing type',
  description: TAKES_EFFECT,
  async handle({ project, caller, body }, { peopleChanges }: GroupsApi) {
    const context = { project, by: caller };
    return json(
      201,
      present(await peopleChanges.createGroup(context, nameOf(project, body), body.group_properties ?? {})),
    );
  },
});

const updateProperty = route({
  method: 'post',
  path: '/groups/update_property/',
  access: { scope: 'group:write' },
  query: OneGroup,
  body: Type.Object({ key: PropertyName, value: Type.Unknown() }),
  answers: { 200: GroupBody },
  summary: 'Set a property of a group',
  description: TAKES_EFFECT,
  async handle({ project, caller, query, body }, { peopleChanges }: GroupsApi) {
    const context = { project, by: caller };
    const group = await peopleChanges.setGroupProperty(context, nameOf(project, query), body.key, body.value);
    return json(200, present(group));
  },
});

const deleteProperty = route({
  method: 'post',
  path: '/groups/delete_property/',
  access: { scope: 'group:write' },
  query: OneGroup,
  body: Type.Object({ $unset: PropertyName }),
  answers: { 200: GroupBody },
  summary: 'Delete a property of a group',
  description: TAKES_EFFECT,
  async handle({ project, caller, query, body }, { peopleChanges }: GroupsApi) {
    const context = { project, by: caller };
    return json(200, present(await peopleChanges.deleteGroupProperty(context, nameOf(project, query), body.$unset)));
  },
});

export const groupRoutes = [...groupTypeRoutes, listGroups, findGroup, createGroup, updateProperty, deleteProperty];
