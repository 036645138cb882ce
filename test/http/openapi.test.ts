/** The document says everything of every route: what it is called, who may call it, what it takes and how it refuses. */
import assert from 'node:assert/strict';
import { apiRoutes, lanes } from '../../src/api.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { pathsOf } from '../../src/http/paths.ts';
import { compile, Type, type TSchema } from '../../src/schema.ts';

type Response = { description?: string; content?: Record<string, { schema?: { $ref?: string }; example?: unknown }> };
type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters: { in: string; name: string; description?: string; example?: unknown; schema: object }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, Response>;
};

const routes = [...apiRoutes, ...lanes];
const document = openApiDocument(routes, 'https://sluice.example') as {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object; securitySchemes: object };
};

describe('the OpenAPI document', () => {
  const ids = new Set<string>();

  for (const route of routes) {
    const path = pathsOf(route)[0].replace(/:(\w+)/g, '{$1}');
    const operation = document.paths[path]![route.method]!;

    it(`describes ${route.method.toUpperCase()} ${path}`, () => {
      const { operationId = '', tags = [], summary = '', description = '', security } = operation;
      assert.match(operationId, /^[a-z][a-z0-9_]*$/);
      assert.ok(!ids.has(operationId), 'the id is another operation’s, too');
      ids.add(operationId);
      assert.ok(tags.length > 0 && tags.every((tag) => document.tags.some(({ name }) => name === tag)));
      assert.ok(summary !== '' && description !== '');
      assert.ok(security);
      for (const name of security.flatMap(Object.keys))
        assert.ok(Object.hasOwn(document.components.securitySchemes, name));

      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      assert.deepEqual(new Set(declared), new Set(inPath));
      assert.equal(declared.length, inPath.length);
      for (const parameter of operation.parameters) {
        assert.ok(parameter.description, `${parameter.name} is not described`);
        assert.notEqual(parameter.example, undefined, parameter.name);
        const valid = compile(Type.Object({ value: parameter.schema as TSchema }));
        assert.ok(
          valid({ value: parameter.example }),
          `the example of ${parameter.name}: ${JSON.stringify(parameter)}`,
        );
      }
      if (!route.body) return;
      const { example } = operation.requestBody!.content['application/json']!;
      const valid = compile(route.body);
      assert.ok(valid(structuredClone(example)), JSON.stringify([example, valid.errors]));
    });

    it(`says how ${route.method.toUpperCase()} ${path} refuses`, () => {
      const statuses = Object.keys(operation.responses);
      assert.ok(!statuses.includes('default'));
      const { access } = route;
      const wanted = [
        ...('public' in access ? [] : ['401', '403', '429']),
        ...('scope' in access || 'organization' in access ? ['404'] : []),
        ...(route.body && !route.refusals ? ['400', '413', '415'] : []),
      ];
      assert.deepEqual(
        wanted.filter((status) => !statuses.includes(status)),
        [],
      );
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        assert.ok(description, status);
        for (const { schema, example } of Object.values(content ?? {}))
          assert.ok(schema && example !== undefined, status);
      }
    });

    it(`says who may call ${route.method.toUpperCase()} ${path}`, () => {
      const { access } = route;
      const names = operation.security!.flatMap(Object.keys);
      const session = route.method === 'get' ? ['session'] : ['session', 'csrf'];
      if ('public' in access) return assert.ok(!names.includes('session'));
      assert.deepEqual(names, access.sessionOnly ? session : ['apiKey', ...session]);
    });
  }
});
