/** Choices of the form that all destinations share, and conversions between a destination's configuration and text. */
export const MODELS = [
  { value: 'events', label: 'Events' },
  { value: 'persons', label: 'Persons', description: 'Versions of persons that changed in the interval.' },
  { value: 'sessions', label: 'Sessions' },
] as const;

/** @returns the text to edit */
export const configText = (config: Readonly<Record<string, unknown>>): string => JSON.stringify(config, null, 2);

export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Strings, punctuation and other values of JSON. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** @param path of a field, joined by dots @returns its line, from 1; undefined if the text does not have it */
export function lineOf(text: string, path: string): number | undefined {
  const wanted = path.split('.').map((name) => JSON.stringify(name));
  /** Of the objects and lists around a token: the name, as it is written, or the index of the member; '' before a name. */
  const members: (string | number)[] = [];
  let line: number | undefined;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const member = members.at(-1);
    if (token === '}' || token === ']') members.pop();
    else if (token === ',') members.splice(-1, 1, typeof member === 'number' ? member + 1 : '');
    else if (token !== ':') {
      if (member === '') members.splice(-1, 1, token);
      const isFirst = member === '' || typeof member === 'number';
      // Of several members with one name, the last one counts.
      if (isFirst && String(members.map((one) => (typeof one === 'number' ? `"${one}"` : one))) === String(wanted))
        line = text.slice(0, index).split('\n').length;
      if (token === '{') members.push('');
      if (token === '[') members.push(0);
    }
  }
  return line;
}

/** @returns a sentence about a text that is no JSON object, with the line if the browser names one */
export function whyNoObject(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    const line = /line (\d+) column/.exec(String(error))?.[1];
    if (line !== undefined) return `Line ${line}: this is not JSON.`;
  }
  return 'This is not a JSON object.';
}
