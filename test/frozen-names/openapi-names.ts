/** Names in the OpenAPI document of some routes: operations, their parameters, and the members of what they take and answer. */
import { openApiDocument } from '../../src/platform/http/openapi/document.ts';
import type { DescribedRoute } from '../../src/platform/http/route.ts';

type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  enum?: unknown[];
  const?: unknown;
};
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  'x-scope'?: string;
  parameters: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content; links?: object }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { in?: string; name?: string }> };
};

type NamesInDocument = { operations: string[]; fields: string[] };

/**
 * Components are listed once, by their titles: operations name them. Answers that refuse are left out: all of them are `Error`.
 * @throws Error as `openApiDocument` does
 */
export function namesInDocument(routes: readonly DescribedRoute[]): NamesInDocument {
  const { paths, components } = openApiDocument(routes, 'https://sluice.example') as Document;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ address: `${method.toUpperCase()} ${path}`, operation })),
  );
  const operations = described.map(({ address, operation }) =>
    [operation.operationId, address, operation['x-scope']].filter(Boolean).join(' '),
  );
  const fields = [
    ...described.flatMap(({ operation }) => fieldsOfOperation(operation)),
    ...Object.entries(components.schemas).flatMap(([title, schema]) => [...membersOfSchema(schema, `${title}:`)]),
  ];
  return { operations, fields };
}

function fieldsOfOperation({ operationId, parameters, requestBody, responses }: Operation): string[] {
  const parameterNames = parameters.flatMap(({ in: place, name, schema }) => {
    const parameter = `${operationId} ${place} ${name}`;
    return [parameter, ...membersOfSchema(schema, parameter)];
  });
  const sent = [...membersOfContent(requestBody?.content, `${operationId} takes`)];
  const answered = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .flatMap(([status, { content }]) => [
      `${operationId} answers ${status}`,
      ...membersOfContent(content, `${operationId} answers ${status}`),
    ]);
  return [...parameterNames, ...sent, ...answered];
}

function* membersOfContent(content: Content = {}, at: string): Generator<string> {
  for (const { schema } of Object.values(content)) if (schema) yield* membersOfSchema(schema, `${at} `);
}

/** @param at ends in a space or a colon where no member was named yet */
function* membersOfSchema(schema: Schema, at: string): Generator<string> {
  if (schema.$ref)
    yield `${at.replace(/:$/, ' ')}${at.endsWith(' ') ? '' : ' '}is ${schema.$ref.split('/').pop()}`.replace('  ', ' ');
  for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) yield* membersOfSchema(part, at);
  if (schema.items) yield* membersOfSchema(schema.items, `${at}[]`);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const place = at.endsWith(' ') ? `${at}${name}` : at.endsWith(':') ? `${at} ${name}` : `${at}.${name}`;
    yield place;
    yield* membersOfSchema(member, place);
  }
  if (typeof schema.additionalProperties === 'object') yield* membersOfSchema(schema.additionalProperties, `${at}.*`);
  const words = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  for (const word of words) yield `${at} = ${String(word)}`;
}
