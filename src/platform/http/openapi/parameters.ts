/** Parameters in the OpenAPI document. Those that mean the same everywhere are described here, once. */
import { Type, type TSchema } from '../../schema.ts';
import { namedBy } from './names.ts';
import { exampleOf } from './schema.ts';
import { LENIENT, NoInteger } from '../parameters/parameters.ts';
import type { DescribedRoute } from '../route.ts';

type Json = Record<string, unknown>;
type Property = TSchema & { description?: string; default?: unknown; type?: string; [LENIENT]?: true };

/** Descriptions, unless the route has its own. */
const STANDARD: Readonly<Record<string, string>> = {
  project_id: 'The project; `@current` is the one of the key.',
  organization_id: 'The organization; `@current` is the one in which the caller works.',
  user__uuid: 'The `uuid` of the user.',
  key: 'The key of the flag, or its id.',
  token: 'The key of the project.',
  distinct_id: 'Only of this distinct id.',
  group_key: 'The key of the group.',
  ordering: 'By what the list is ordered; with `-` the last first.',
  kind: 'Only of this kind.',
  type: 'Only of this type.',
  status: 'Only in this state.',
  tags: 'Only with at least one of them; may be repeated.',
  created_by: 'Only those that this user made.',
  created_by_id: 'Only those that this user made.',
  evaluation_runtime: 'Only those that are evaluated there.',
  archived: 'Only archived ones, or only others.',
  saved: 'Only those that were saved, or only others.',
  favorited: 'Only favourites, or only others.',
  short_id: 'Only the one with this short id.',
  dashboard: 'Only those on this dashboard.',
  feature_flag_id: 'Only those of this flag.',
};

export function parametersOf(route: DescribedRoute): Json[] {
  const declared = (route.params?.properties ?? {}) as Record<string, Property>;
  const named = [...route.path.matchAll(/:(\w+)/g)].map(
    ([, name = '']) => [name, declared[name] ?? Type.String()] as const,
  );
  const required = new Set(route.query?.['required'] as string[] | undefined);
  const query = Object.entries((route.query?.properties ?? {}) as Record<string, Property>);
  return [
    ...tenantOf(route),
    ...named.map(([name, schema]) => parameter(route, 'path', name, schema, true)),
    ...query.map(([name, schema]) =>
      parameter(route, 'query', name, schema, required.has(name) && schema.default === undefined),
    ),
  ];
}

function tenantOf(route: DescribedRoute): Json[] {
  const { access } = route;
  if ('scope' in access) return [parameter(route, 'path', 'project_id', Type.Integer({ minimum: 1 }), true)];
  if (!('organization' in access)) return [];
  return [parameter(route, 'path', 'organization_id', Type.String({ format: 'uuid' }), true)];
}

function parameter(
  route: DescribedRoute,
  where: 'path' | 'query',
  name: string,
  given: Property,
  required: boolean,
): Json {
  const { description = describedAs(route, where, name), [LENIENT]: lenient, ...schema } = given;
  return {
    in: where,
    name,
    required,
    description: lenient ? `${description} What is no integer counts as not given.` : description,
    schema: lenient ? { anyOf: [schema, NoInteger], default: schema.default } : schema,
    example: exampleOf(schema as TSchema),
  };
}

function describedAs(route: DescribedRoute, where: 'path' | 'query', name: string): string {
  if (STANDARD[name] && !(where === 'path' && name === 'token')) return STANDARD[name];
  if (where === 'path') return `Which ${namedBy(route, name)}.`;
  return '';
}
