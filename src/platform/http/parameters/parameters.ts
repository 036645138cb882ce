/** Path and query parameters: texts in the URL, values of their schema's type for the handler. */
import { InvalidInput, NotFound } from '../../errors.ts';
import { Type, type TObject, type TSchema } from '../../schema.ts';

/** Matches a text that is not an integer: no digits, other characters, or a sign after the first character. */
const NO_INTEGER = /^[+-]?$|[^0-9+-]|.[+-]/;

export const NonInteger = Type.String({ pattern: NO_INTEGER.source });

/** Keyword of an integer's schema: an invalid text counts as an absent parameter, and is not refused. */
export const LENIENT = 'x-lenient';

type Property = TSchema & { [LENIENT]?: true } & {
  type?: string;
  format?: string;
  items?: Property;
  anyOf?: Property[];
};

/**
 * Reads what the schema names and ignores the rest. An array property may be repeated; anything else at most once.
 * @throws InvalidInput when a parameter that is not an array is repeated
 */
export function queryValues(schema: TObject, search: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties as Record<string, Property>)) {
    const texts = search.getAll(name);
    if (texts.length === 0) continue;
    for (const text of texts) {
      if (text.includes('\0')) throw new InvalidInput('Null characters are not allowed.', name);
    }
    if (property.type === 'array') {
      values[name] = texts.map((text) => convert(property.items, text));
      continue;
    }
    if (texts.length > 1) throw new InvalidInput('This parameter may be given only once.', name);
    const text = texts[0] ?? '';
    if (!property[LENIENT] || !NO_INTEGER.test(text)) values[name] = convert(property, text);
  }
  return values;
}

/**
 * @returns the path's parameters, converted as the schema says; uuids in lower case, as they are stored and as workflows are named
 * @throws NotFound for a null character, which nothing stored has in its name
 */
export function pathValues(schema: TObject, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const properties = schema.properties as Record<string, Property>;
  if (Object.keys(properties).some((name) => texts[name]?.includes('\0'))) throw new NotFound();
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      convert(property, property.format === 'uuid' ? texts[name]?.toLowerCase() : texts[name]),
    ]),
  );
}

/** Values that do not look like the type stay text, so the schema refuses them by name. */
export function convert(property: Property | undefined, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  switch (property?.type) {
    case 'integer':
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}
