/** Members of a body that nobody described: dropped, or refused where a misspelt one does harm. */
import { InvalidInput } from '../errors.ts';
import type { TObject, TSchema } from '../schema.ts';
import { KEY_IN_BODY } from './access.ts';
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
  const [nearest] = [...known].sort((a, b) => distance(unknown, a) - distance(unknown, b));
  return `There is no such field. The nearest is \`${nearest}\`.`;
}

/** Nothing between a name and a part of it, else letters to be added, taken away or exchanged to make one word of the other (Levenshtein). */
function distance(from: string, to: string): number {
  if (from.includes(to) || to.includes(from)) return 0;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const letter of from.slice(0, MAX_ATTR)) {
    const next = [row[0]! + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const exchanged = row[column - 1]! + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(exchanged, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
