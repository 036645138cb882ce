/** `/groups_types/`: the types of a project's groups. */
import { json, route } from '../../platform/http/route.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { PersonAndGroupChanges } from './changes.ts';
import type { GroupType, GroupTypeStore } from './group-types.store.ts';

export type GroupTypesApi = { groupTypes: GroupTypeStore; peopleChanges: PersonAndGroupChanges };

const Name = nullable(Type.String({ maxLength: 400 }), {
  description: 'The display name; null to show the name used in events.',
});

const GroupTypeBody = Type.Object(
  { group_type: Type.String(), group_type_index: Type.Integer(), name_singular: Name, name_plural: Name },
  { title: 'GroupType' },
);

function present({ type, index, nameSingular, namePlural }: GroupType): Static<typeof GroupTypeBody> {
  return { group_type: type, group_type_index: index, name_singular: nameSingular, name_plural: namePlural };
}

const listGroupTypes = route({
  method: 'get',
  path: '/groups_types/',
  access: { scope: 'group:read' },
  answers: { 200: Type.Array(GroupTypeBody) },
  summary: 'List the group types of the project, in the order in which they were first seen',
  async handle({ project }, { groupTypes }: GroupTypesApi) {
    return json(200, (await groupTypes.list(project.id)).map(present));
  },
});

const updateNames = route({
  method: 'patch',
  path: '/groups_types/update_metadata/',
  access: { scope: 'group:write' },
  body: Type.Array(
    Type.Object({
      group_type_index: Type.Integer({ minimum: 0, maximum: 4 }),
      name_singular: Type.Optional(Name),
      name_plural: Type.Optional(Name),
    }),
    { maxItems: 5 },
  ),
  answers: { 200: Type.Array(GroupTypeBody) },
  summary: 'Set the display names of group types',
  description: 'Omitted fields keep their values. Events and flags continue to use `group_type`.',
  async handle({ project, caller, body }, { groupTypes, peopleChanges }: GroupTypesApi) {
    const names = body.map((item) => ({
      index: item.group_type_index,
      nameSingular: item.name_singular,
      namePlural: item.name_plural,
    }));
    await peopleChanges.renameGroupTypes({ project, by: caller }, names);
    return json(200, (await groupTypes.list(project.id)).map(present));
  },
});

export const groupTypeRoutes = [listGroupTypes, updateNames];
