/** Links in the OpenAPI document: the requests that can follow for an object that was just created. */
import type { TSchema } from '../../schema.ts';
import { operationIdOf } from './names.ts';
import type { ObjectParts } from './schema.ts';
import { pathsOf } from '../paths.ts';
import type { DescribedRoute } from '../route.ts';

type Link = { operationId: string; parameters: Record<string, string> };

/**
 * @param schema of the answer
 * @returns links by operation, to paths that extend the route's by a parameter for the object
 */
export function linksOf(
  route: DescribedRoute,
  schema: TSchema,
  routes: readonly DescribedRoute[],
): Record<string, Link> {
  if (route.method !== 'post') return {};
  const [path] = pathsOf(route);
  const fields = (schema as ObjectParts).properties ?? {};
  const links = routes.flatMap((target) => {
    const [targetPath] = pathsOf(target);
    if (!targetPath.startsWith(`${path}:`)) return [];
    const [name = '', ...rest] = namesIn(targetPath.slice(path.length));
    if (rest.length > 0) return [];
    // `user__uuid` is the `uuid` of the `user`; an id that is not there by its name is the object's own.
    const field = [name.split('__'), ...(name.endsWith('id') && !name.includes('__') ? [['id']] : [])].find(([first]) =>
      Object.hasOwn(fields, first!),
    );
    if (!field) return [];
    const parameters = Object.fromEntries(namesIn(path).map((parameter) => [parameter, `$request.path.${parameter}`]));
    const operationId = operationIdOf(target);
    return [
      [
        operationId,
        { operationId, parameters: { ...parameters, [name]: `$response.body#/${field.join('/')}` } },
      ] as const,
    ];
  });
  return Object.fromEntries(links);
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}
