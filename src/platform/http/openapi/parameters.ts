/** Parameters in the OpenAPI document. Those that mean the same everywhere are described here, once. */
import { Type, type TSchema } from '../../schema.ts';
import { resourceNamedBy } from './names.ts';
import { exampleOf } from './schema.ts';
import { LENIENT, NonInteger } from '../parameters/parameters.ts';
import type { DescribedRoute } from '../route.ts';

type Json = Record<string, unknown>;
type Property = TSchema & { description?: string; default?: unknown; type?: string; [LENIENT]?: true };

/** Descriptions, unless the route has its own. */
const STANDARD: Readonly<Record<string, string>> = {
  project_id: 'The ID of the project, or `@current`.',
  organization_id: 'The ID of the organization, or `@current` for the organization of the current project.',
  user__uuid: 'The UUID of the user.',
  key: 'The key of the flag, or its ID.',
  token: 'The key of the project.',
  distinct_id: 'Returns only results of this distinct ID.',
  group_key: 'The key of the group.',
  ordering: 'The field to sort by; prefix `-` for descending order.',
  kind: 'Returns only results of this kind.',
  type: 'Returns only results of this type.',
  status: 'Returns only results with this status.',
  tags: 'Returns only results with at least one of these tags; may be repeated.',
  created_by: 'Returns only results created by this user.',
  created_by_id: 'Returns only results created by this user.',
  evaluation_runtime: 'Returns only flags that are evaluated in this runtime.',
  archived: 'Returns only archived results if true, only others if false.',
  saved: 'Returns only saved results if true, only others if false.',
  favorited: 'Returns only favorites if true, only others if false.',
  short_id: 'Returns only the result with this short ID.',
  dashboard: 'Returns only results on this dashboard.',
  feature_flag_id: 'Returns only results of this flag.',
};

export function parametersOf(route: DescribedRoute): Json[] {
  const declared = (route.params?.properties ?? {}) as Record<string, Property>;
  const pathParameters = [...route.path.matchAll(/:(\w+)/g)].map(
    ([, name = '']) => [name, declared[name] ?? Type.String()] as const,
  );
  const requiredNames = new Set(route.query?.['required'] as string[] | undefined);
  const query = Object.entries((route.query?.properties ?? {}) as Record<string, Property>);
  return [
    ...tenantOf(route),
    ...pathParameters.map(([name, schema]) => parameter(route, 'path', name, schema, true)),
    ...query.map(([name, schema]) =>
      parameter(route, 'query', name, schema, requiredNames.has(name) && schema.default === undefined),
    ),
  ];
}

function tenantOf(route: DescribedRoute): Json[] {
  const { access } = route;
  if ('scope' in access)
    return [parameter(route, 'path', 'project_id', idOrCurrent(Type.Integer({ minimum: 1 })), true)];
  if (!('organization' in access)) return [];
  return [parameter(route, 'path', 'organization_id', idOrCurrent(Type.String({ format: 'uuid' })), true)];
}

const idOrCurrent = (id: TSchema) => Type.Union([id, Type.Literal('@current')]);

function parameter(
  route: DescribedRoute,
  location: 'path' | 'query',
  name: string,
  property: Property,
  required: boolean,
): Json {
  const { description = parameterDescription(route, location, name), [LENIENT]: lenient, ...schema } = property;
  return {
    in: location,
    name,
    required,
    description: lenient ? `${description} A value that is not an integer is ignored.` : description,
    schema: lenient ? { anyOf: [schema, NonInteger], default: schema.default } : schema,
    example: exampleOf(schema as TSchema),
  };
}

function parameterDescription(route: DescribedRoute, location: 'path' | 'query', name: string): string {
  if (STANDARD[name] && !(location === 'path' && name === 'token')) return STANDARD[name];
  if (location === 'path') return `Which ${resourceNamedBy(route, name)}.`;
  return '';
}
