/** Members of a body that nobody described: dropped, or refused where a misspelt one does harm. */
import { InvalidInput } from '../errors.ts';
import type { TObject, TSchema } from '../schema.ts';
import { KEY_IN_BODY } from './access.ts';
import { nearestName } from './nearest-name.ts';
import type { DescribedRoute } from './route.ts';

/** Names as long as a body would make answers as long. */
const MAX_ATTR = 100;

/** A body cannot assign members that the schema does not name. */
export function withoutUnknown(schema: TSchema | undefined, body: unknown): unknown {
  const { properties } = (schema ?? {}) as Partial<TObject>;
  if (!properties || !isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(properties, name)));
}

/**
 * For the body of a strict route. What changes something may bring back all that was read: there the members of answers pass, too.
 * @throws InvalidInput naming the first member that is neither, and the one that may be meant
 */
export function refuseUnknown({ method, body: schema, answers }: DescribedRoute, body: unknown): void {
  const { items } = (schema ?? {}) as { items?: TSchema };
  const known = namesOf(items ?? schema);
  const read = method === 'post' ? [] : Object.values(answers).flatMap(namesOf);
  for (const object of items && Array.isArray(body) ? body : [body]) {
    if (!isObject(object)) continue;
    const unknown = Object.keys(object).find((name) => ![...known, ...read, KEY_IN_BODY].includes(name));
    if (unknown !== undefined) throw new InvalidInput(explain(unknown, known), unknown.slice(0, MAX_ATTR));
  }
}

function namesOf(schema: TSchema | null | undefined): string[] {
  return Object.keys((schema as Partial<TObject> | null | undefined)?.properties ?? {});
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function explain(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return 'There is no such field: none is taken here.';
  const nearest = nearestName(unknown, known);
  return nearest === undefined ? 'There is no such field.' : `There is no such field. The nearest is \`${nearest}\`.`;
}
