/** Drops fields that the schema does not describe, or refuses them where a misspelling would do harm. */
import { InvalidInput } from '../errors.ts';
import type { TObject, TSchema } from '../schema.ts';
import { KEY_IN_BODY } from './access.ts';
import { misspellings, nearestName } from './nearest-name.ts';
import type { DescribedRoute } from './route.ts';

/** Longer names are cut, so answers stay short. */
const MAX_ATTR = 100;

type Shape = Partial<TObject> & { items?: TSchema; anyOf?: TSchema[] };

/**
 * A strict route refuses all fields that its schema does not name. Other routes drop them, and refuse only misspellings of a field that is
 * missing: dropped quietly, `filter` for `filters` would export everything. A client may send back all that it read, so fields of answers
 * pass, except where a strict route creates something.
 * @returns a function that removes unknown fields from a body. It throws InvalidInput naming the first refused field, and the likely one
 */
export function createFieldFilter({
  method,
  body: schema,
  strict,
  answers,
}: DescribedRoute): (body: unknown) => unknown {
  const acceptedNames = namesOf(schema);
  const answerNames = strict && method === 'post' ? [] : Object.values(answers).flatMap(namesOf);
  const knownNames = new Set([...acceptedNames, ...answerNames, KEY_IN_BODY]);
  const likelyNames = misspellings(acceptedNames);

  function refuseIn(object: object): void {
    for (const name of Object.keys(object)) {
      if (knownNames.has(name)) continue;
      if (strict) throw unknownFieldError(name, acceptedNames.length > 0 ? nearestName(name, acceptedNames) : null);
      const likely = likelyNames(name).find((other) => !Object.hasOwn(object, other));
      if (likely !== undefined) throw unknownFieldError(name, likely);
    }
  }

  const { properties, items } = (schema ?? {}) as Shape;
  return (body) => {
    const objects = items && Array.isArray(body) ? (body as unknown[]) : [body];
    objects.filter(isObject).forEach(refuseIn);
    if (!properties || !isObject(body)) return body;
    return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(properties, name)));
  };
}

/**
 * @param name path of the field: `filters_override__date_frm`
 * @param nearest undefined: not looked for; null: none is near
 */
export function unknownFieldError(name: string, nearest: string | null | undefined): InvalidInput {
  return new InvalidInput(explain(nearest), name.slice(0, MAX_ATTR));
}

function explain(nearest: string | null | undefined): string {
  if (nearest === null) return 'There is no such field. This request takes no fields.';
  return nearest === undefined ? 'There is no such field.' : `There is no such field. The nearest is \`${nearest}\`.`;
}

function namesOf(schema: TSchema | null | undefined): string[] {
  const { properties = {}, items, anyOf = [] } = (schema ?? {}) as Shape;
  return [...Object.keys(properties), ...(items ? namesOf(items) : []), ...anyOf.flatMap(namesOf)];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
