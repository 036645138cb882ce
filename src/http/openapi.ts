/** The OpenAPI 3.1 document of a list of routes, made from the same schemas that check requests. */
import { Type, type TObject, type TSchema } from '../schema.ts';
import type { Access } from './access.ts';
import { ErrorBody } from './error-body.ts';
import { pathsOf } from './paths.ts';
import { json, route, type DescribedRoute, type Route } from './route.ts';

type Json = Record<string, unknown>;
type ObjectParts = { properties?: Record<string, { default?: unknown }>; required?: string[] };

/** `/api/schema/`: the document of the given routes. */
export function openApiRoute<Collaborators>(
  routes: readonly DescribedRoute[],
  publicUrl: string,
): Route<Collaborators> {
  const document = openApiDocument(routes, publicUrl);
  return route({
    method: 'get',
    path: '/api/schema/',
    access: { public: true },
    answers: { 200: Type.Object({}) },
    summary: 'This API as an OpenAPI 3.1 document',
    handle: async () => json(200, document),
  });
}

/** @throws Error when two different schemas carry one title */
export function openApiDocument(routes: readonly DescribedRoute[], publicUrl: string): Json {
  const components = new Map<string, unknown>();
  const error = { description: 'What is wrong', content: jsonContent(hoist(ErrorBody, components)) };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = pathsOf(route)[0].replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, components, error) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      description:
        'Project routes are found under `/api/projects/{project_id}/` too. A trailing slash may be left out. ' +
        '`@current` instead of the id is the project of the query parameter `token`, its public key; without that the only ' +
        'one that the API key opens.',
    },
    servers: [{ url: publicUrl.replace(/\/$/, '') }],
    paths,
    components: {
      schemas: Object.fromEntries(components),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A personal key (`phx_…`) or project key (`phs_…`).' },
      },
    },
  };
}

function operation(route: DescribedRoute, components: Map<string, unknown>, error: Json): Json {
  const answers = Object.entries(route.answers).map(([status, schema]) => [
    status,
    schema
      ? { description: 'Done', content: jsonContent(hoist(schema, components)) }
      : { description: 'Done; the body is empty' },
  ]);
  return {
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...security(route.access),
    parameters: [
      ...tenantParameter(route.access),
      ...parameters('path', route.params),
      ...parameters('query', route.query),
    ],
    ...requestBody(route, components),
    responses: { ...Object.fromEntries(answers), default: error },
  };
}

function security(access: Access): Json {
  if ('public' in access) return { security: [] };
  const scope =
    'authenticated' in access ? access.needs : 'organization' in access ? access.organization : access.scope;
  if (scope === undefined) return { security: [{ apiKey: [] }] };
  return { security: [{ apiKey: [scope] }], 'x-scope': scope };
}

function tenantParameter(access: Access): Json[] {
  if ('scope' in access) return [parameter('path', 'project_id', Type.Integer({ minimum: 1 }), true)];
  if ('organization' in access) return [parameter('path', 'organization_id', Type.String({ format: 'uuid' }), true)];
  return [];
}

function requestBody({ body, strict, file, urlEncoded }: DescribedRoute, components: Map<string, unknown>): Json {
  if (!body) return {};
  const schema = hoist(strict ? closed(body) : body, components);
  const content = {
    ...jsonContent(schema),
    ...(urlEncoded && { 'application/x-www-form-urlencoded': { schema } }),
    ...(file && fileContent(body, file.field)),
  };
  return { requestBody: { required: isNeeded(body), content } };
}

function closed(body: TSchema & { items?: TSchema }): TSchema {
  return body.items ? { ...body, items: closed(body.items) } : { ...body, additionalProperties: false };
}

/** Whether a request without a body lacks something. */
function isNeeded(body: TSchema & ObjectParts): boolean {
  const { properties, required = [] } = body;
  return !properties || required.some((name) => properties[name]?.default === undefined);
}

/** A form with the body's fields beside the file, or the file alone. */
function fileContent(body: TSchema, field: string): Json {
  const { properties = {} } = body as Partial<TObject>;
  const csv = { type: 'string', contentMediaType: 'text/csv' };
  return {
    'multipart/form-data': { schema: { type: 'object', properties: { ...properties, [field]: csv } } },
    'text/csv': { schema: csv },
  };
}

function parameters(where: 'path' | 'query', schema: TObject | undefined): Json[] {
  const required = new Set(schema?.['required'] as string[] | undefined);
  return Object.entries((schema?.properties ?? {}) as Record<string, TSchema & { default?: unknown }>).map(
    ([name, property]) =>
      parameter(where, name, property, where === 'path' || (required.has(name) && property.default === undefined)),
  );
}

function parameter(where: string, name: string, schema: TSchema, required: boolean): Json {
  const { description, ...rest } = schema as { description?: string };
  return { in: where, name, required, ...(description && { description }), schema: rest };
}

function jsonContent(schema: unknown): Json {
  return { 'application/json': { schema } };
}

/** Moves titled objects into the components and leaves references; a field with a default is not required. */
function hoist(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]));
  if (copy['type'] !== 'object') return copy;
  const { title, properties = {}, required = [] } = copy as { title?: string } & ObjectParts;
  copy['required'] = required.filter((name) => properties[name]?.default === undefined);
  if (typeof title !== 'string') return copy;
  const known = components.get(title);
  if (known && JSON.stringify(known) !== JSON.stringify(copy)) throw new Error(`Two schemas are titled "${title}".`);
  components.set(title, copy);
  return { $ref: `#/components/schemas/${title}` };
}
