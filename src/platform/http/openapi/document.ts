/** The OpenAPI 3.1 document of a list of routes, made from the same schemas that check requests. */
import { Type } from '../../schema.ts';
import { SECURITY_SCHEMES } from './access.ts';
import { operationIdOf, tagOf } from './names.ts';
import { operationOf } from './operation.ts';
import { pathsOf } from '../paths.ts';
import { json, route, type DescribedRoute, type Route } from '../route.ts';

type Json = Record<string, unknown>;

/** The document of the given routes and of `/api/schema/`, which answers it. */
export function openApiRoute<Collaborators>(
  routes: readonly DescribedRoute[],
  publicUrl: string,
): { document: Json; route: Route<Collaborators> } {
  const schemaRoute = route({
    method: 'get',
    path: '/api/schema/',
    access: { public: true },
    answers: { 200: Type.Object({ openapi: Type.String() }) },
    summary: 'Retrieve this API as an OpenAPI 3.1 document',
    handle: async () => json(200, document),
  });
  const document = openApiDocument([...routes, schemaRoute], publicUrl);
  return { document, route: schemaRoute };
}

/** @throws Error when two different schemas carry one title, or two operations one id */
export function openApiDocument(routes: readonly DescribedRoute[], publicUrl: string): Json {
  const components = new Map<string, unknown>();
  const paths: Record<string, Json> = {};
  const ids = new Map<string, string>();
  const first = new Set(routes.map((route) => pathsOf(route)[0]));
  for (const route of routes) {
    const [own, ...others] = pathsOf(route);
    // Listed under its other prefix only if other routes are there, so that each path lists all its methods.
    for (const path of [own, ...others.filter((other) => first.has(other))]) {
      const address = path.replace(/:(\w+)/g, '{$1}');
      const id = operationIdOf(route, path);
      if (ids.has(id)) throw new Error(`${ids.get(id)} and ${route.method} ${address} are both called "${id}".`);
      ids.set(id, `${route.method} ${address}`);
      paths[address] = { ...paths[address], [route.method]: operationOf(route, { components, routes, path }) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      description:
        'Project routes are also available under `/api/projects/{project_id}/`. Trailing slashes are optional. In ' +
        'place of the ID of a project, `@current` refers to the project of the query parameter `token`, a public ' +
        'key; without it, to the current project of the caller; without one, to the only project that the API key can ' +
        'access.',
    },
    servers: [{ url: publicUrl.replace(/\/$/, '') }],
    tags: [...new Set(routes.map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: { schemas: Object.fromEntries(components), securitySchemes: SECURITY_SCHEMES },
  };
}
