/** A field that an error names, as people call it: `destination__config__bucket_name` is `bucket`. */
export function fieldWords(attr: string): string {
  return (attr.split('__').at(-1) ?? attr).replace(/_name$/, '').replaceAll('_', ' ');
}

type LabelledField = { name: string; title: string };

/** @returns a sentence of the API with the labels of the form in place of the names of its fields */
export function withLabels(sentence: string, fields: readonly LabelledField[]): string {
  const titles = new Map(fields.map(({ name, title }) => [name, title]));
  // A name without an underscore may be an ordinary word, so it counts only in quotes.
  const names = /["'`](\w+)["'`]|\b\w+_\w+\b/g;
  return sentence.replace(names, (found, quoted?: string) => titles.get(quoted ?? found) ?? found);
}

const MAX_SHOWN = 60;

/** A value of a field, on one line. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** @param field as errors name it, `destination__config__bucket_name` @returns its value in an export; undefined if the export shows none */
export function valueAt(body: object, field: string): unknown {
  return field.split('__').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    return (at as Record<string, unknown>)[name];
  }, body);
}
