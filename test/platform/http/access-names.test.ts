/** Misspelt names in the access of a route, which would demand less than is written. `npm run typecheck` fails where one is taken. */
import { json, route } from '../../../src/platform/http/route.ts';
import { Type } from '../../../src/platform/schema.ts';

const params = Type.Object({ id: Type.Integer() });
const rest = {
  method: 'get',
  path: '/things/:id/',
  answers: { 200: Type.Object({}) },
  summary: 'Retrieve a thing',
  handle: async () => json(200, {}),
} as const;

describe('the access of a route', () => {
  it('is taken if all of its names are known, and its object is named by a parameter', () => {
    route({
      ...rest,
      params,
      access: { scope: 'thing:read', admin: true, object: { resource: 'thing', param: 'id' } },
    });
    route({ ...rest, access: { scope: 'thing:read', object: { resource: 'project_rules', param: 'project_id' } } });
    route({ ...rest, access: { organization: 'thing:read', role: 'admin', sensitive: true } });
    route({ ...rest, access: { authenticated: true, needs: 'thing:read' } });
    route({ ...rest, access: { public: true, ownPages: true } });
  });

  it('is refused by its type if a name is misspelt, or is one of another kind of access', () => {
    // @ts-expect-error `sensitive`
    route({ ...rest, access: { scope: 'thing:read', sensitiv: true } });
    // @ts-expect-error `role` is of organizations
    route({ ...rest, access: { scope: 'thing:read', role: 'admin' } });
    // @ts-expect-error `ownPages`
    route({ ...rest, access: { public: true, ownPage: true } });
    // @ts-expect-error `level`
    route({ ...rest, params, access: { scope: 'a:read', object: { resource: 'a', param: 'id', lvl: 'editor' } } });
  });

  it('is refused by its type if no parameter of the route names its object', () => {
    // @ts-expect-error `id`
    route({ ...rest, params, access: { scope: 'thing:read', object: { resource: 'thing', param: 'thing_id' } } });
    // @ts-expect-error no parameters are declared
    route({ ...rest, access: { scope: 'thing:read', object: { resource: 'thing', param: 'id' } } });
  });
});
