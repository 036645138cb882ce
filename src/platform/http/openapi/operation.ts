/** One operation of the OpenAPI document. */
import type { TObject, TSchema } from '../../schema.ts';
import { ErrorBody } from '../error-body.ts';
import { REFUSALS, refusalsOf, securityOf, UNREAD_HEADERS, accessSentence } from './access.ts';
import { linksOf } from './links.ts';
import { operationIdOf, tagOf } from './names.ts';
import { parametersOf } from './parameters.ts';
import { exampleOf, hoist, type ObjectParts } from './schema.ts';
import type { DescribedRoute } from '../route.ts';

type Json = Record<string, unknown>;
export type Components = Map<string, unknown>;

/** Context for the description of an operation. */
export type OperationContext = {
  components: Components;
  /** All routes of the document. */
  routes: readonly DescribedRoute[];
  /** Path under which the route is described. */
  path: string;
};

export function operationOf(route: DescribedRoute, context: OperationContext): Json {
  const { components, path } = context;
  return {
    operationId: operationIdOf(route, path),
    tags: [tagOf(route)],
    summary: route.summary,
    description: [route.description, accessSentence(route)].filter(Boolean).join(' '),
    ...securityOf(route),
    parameters: parametersOf(route),
    ...requestBody(route, components),
    responses: responsesOf(route, context),
  };
}

function responsesOf(route: DescribedRoute, { components, routes }: OperationContext): Json {
  const refusals = refusalsOf(route).map((status) => [status, errorResponse(status, components)]);
  const answers = Object.entries(route.answers).map(([status, schema]) => [
    status,
    { ...answer(route, status, schema, components), ...linksMember(route, schema, routes) },
  ]);
  return Object.fromEntries([...refusals, ...answers]) as Json;
}

function errorResponse(status: number, components: Components): Json {
  if (status === UNREAD_HEADERS) return { description: `${REFUSALS[status]}; the body is empty` };
  const example = { type: 'invalid_request', code: 'error', detail: REFUSALS[status], attr: null };
  return { description: REFUSALS[status], content: jsonContent(hoist(ErrorBody, components), example) };
}

function answer(route: DescribedRoute, status: string, schema: TSchema | null, components: Components): Json {
  const description = REFUSALS[Number(status)] ?? (Number(status) === 304 ? 'Not modified' : 'Done');
  if (!schema) return { description: `${description}; the body is empty` };
  const content = { schema: hoist(schema, components), example: exampleOf(schema, true) };
  const { alsoProduces: other } = route;
  const others = other && { [other.type]: { schema: { type: 'string' }, example: other.example } };
  return { description, content: { [mediaTypeOf(route, Number(status))]: content, ...others } };
}

function linksMember(route: DescribedRoute, schema: TSchema | null, routes: readonly DescribedRoute[]): Json {
  const links = schema ? linksOf(route, schema, routes) : {};
  return Object.keys(links).length > 0 ? { links } : {};
}

function mediaTypeOf({ produces = {} }: DescribedRoute, status: number): string {
  return typeof produces === 'string' ? produces : (produces[status] ?? 'application/json');
}

function requestBody({ body, strict, file, urlEncoded, example }: DescribedRoute, components: Components): Json {
  if (!body) return {};
  const schema = hoist(strict ? closeSchema(body) : body, components);
  const content = {
    ...jsonContent(schema, example ?? exampleOf(body)),
    ...(urlEncoded && { 'application/x-www-form-urlencoded': { schema } }),
    ...(file && fileContent(body, file.field)),
  };
  return { requestBody: { required: isBodyRequired(body), content } };
}

function closeSchema(body: TSchema & { items?: TSchema }): TSchema {
  return body.items ? { ...body, items: closeSchema(body.items) } : { ...body, additionalProperties: false };
}

/** Whether a request without a body lacks something. */
function isBodyRequired(body: TSchema & ObjectParts): boolean {
  const { properties, required = [] } = body;
  return !properties || required.some((name) => properties[name]?.default === undefined);
}

/** A form with the body's fields and the file, or the file alone. */
function fileContent(body: TSchema, field: string): Json {
  const { properties = {} } = body as Partial<TObject>;
  const csv = { type: 'string', contentMediaType: 'text/csv' };
  return {
    'multipart/form-data': { schema: { type: 'object', properties: { ...properties, [field]: csv } } },
    // Every text is a CSV file.
    'text/csv': {},
  };
}

function jsonContent(schema: unknown, example: unknown): Json {
  return { 'application/json': { schema, example } };
}
