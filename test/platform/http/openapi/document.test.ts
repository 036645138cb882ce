/** The document says everything of every route: what it is called, who may call it, what it takes and how it refuses. */
import assert from 'node:assert/strict';
import { apiRoutes, rawRoutes } from '../../../../src/app/api.ts';
import { openApiDocument } from '../../../../src/platform/http/openapi/document.ts';
import { pathsOf } from '../../../../src/platform/http/paths.ts';
import { compile, Type, type TSchema } from '../../../../src/platform/schema.ts';

type Link = { operationId: string; parameters: Record<string, string> };
type Response = {
  links?: Record<string, Link>;
  description?: string;
  content?: Record<string, { schema?: { $ref?: string }; example?: unknown }>;
};
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

const routes = [...apiRoutes, ...rawRoutes];
const document = openApiDocument(routes, 'https://sluice.example') as {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object; securitySchemes: object };
};

/** The path without its parameters' names. */
const shapeOf = (path: string) => path.replace(/:\w+|\{\w+\}/g, ':');
const linksOf = (path: string) => document.paths[path]!['post']!.responses['201']!.links!;

describe('the OpenAPI document', () => {
  const ids = new Set<string>();
  const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
  );

  it('has each path once, whatever its parameters are called, with all methods that are offered there', () => {
    const offered = Map.groupBy(
      routes.flatMap((route) => pathsOf(route).map((path) => ({ shape: shapeOf(path), method: route.method }))),
      ({ shape }) => shape,
    );
    const shapes = Object.keys(document.paths).map(shapeOf);
    assert.equal(new Set(shapes).size, shapes.length);
    for (const [path, byMethod] of Object.entries(document.paths)) {
      const methods = offered.get(shapeOf(path))!.map(({ method }) => method);
      assert.deepEqual(Object.keys(byMethod).sort(), methods.sort(), path);
    }
  });

  it('says everywhere that an address may be too long to be read', () => {
    for (const { path, method, operation } of operations) {
      assert.deepEqual(Object.keys(operation.responses['431'] ?? {}), ['description'], `${method} ${path}`);
    }
  });

  it('links what makes an object to what is done with it', () => {
    assert.deepEqual(linksOf('/api/environments/{project_id}/dashboards/')['dashboards_sharing_retrieve'], {
      operationId: 'dashboards_sharing_retrieve',
      parameters: { project_id: '$request.path.project_id', dashboard_id: '$response.body#/id' },
    });
    const collaborators = '/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/';
    assert.deepEqual(linksOf(collaborators)['dashboards_collaborators_destroy']!.parameters, {
      project_id: '$request.path.project_id',
      dashboard_id: '$request.path.dashboard_id',
      user__uuid: '$response.body#/user/uuid',
    });
    const byId = new Map(operations.map(({ operation }) => [operation.operationId, operation]));
    const links = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((response) => Object.values(response.links ?? {})),
    );
    assert.ok(links.length > 100);
    for (const { operationId, parameters } of links) {
      const inPath = byId.get(operationId)!.parameters.filter((one) => one.in === 'path');
      assert.deepEqual(Object.keys(parameters).sort(), inPath.map(({ name }) => name).sort(), operationId);
    }
  });

  it('takes `@current` by its schema in place of the id of a project and of an organization', () => {
    for (const [path, id] of [
      ['/api/environments/{project_id}/dashboards/', 1],
      ['/api/organizations/{organization_id}/roles/', '0198f3a0-0000-7000-8000-000000000001'],
    ] as const) {
      const { schema } = document.paths[path]!['get']!.parameters.find((one) => one.in === 'path')!;
      const takes = compile(Type.Object({ value: schema as TSchema }));
      for (const value of ['@current', id]) assert.ok(takes({ value }), `${path} ${value}`);
      assert.ok(!takes({ value: 'current' }), path);
    }
  });

  it('takes by its schema every text that counts as if it were not given, and no integer that is refused', () => {
    const { schema } = document.paths['/api/projects/']!['get']!.parameters.find(({ name }) => name === 'offset')!;
    const takes = compile(Type.Object({ value: schema as TSchema }));
    for (const value of ['', '-', 'x', '70x', '1.5', '1e3', '0x10', ' 5', '1-', '\n', 0, 7]) {
      assert.ok(takes({ value }), JSON.stringify(value));
    }
    for (const value of ['-1', '+1', '99999999999', -1]) assert.ok(!takes({ value }), JSON.stringify(value));
  });

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

    it(`states who may call ${route.method.toUpperCase()} ${path}`, () => {
      const { access } = route;
      const names = operation.security!.flatMap(Object.keys);
      const session = route.method === 'get' ? ['session'] : ['session', 'csrf'];
      if ('public' in access) return assert.ok(!names.includes('session'));
      assert.deepEqual(names, access.sessionOnly ? session : ['apiKey', ...session]);
    });
  }
});
