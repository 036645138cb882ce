/** Choices of the form that all destinations share, and conversions between a destination's configuration and text. */
import type { Option } from '../../look/select.tsx';

export const MODELS: readonly Option[] = [
  { value: 'events', label: 'Events' },
  { value: 'persons', label: 'Persons', description: 'Versions of persons that changed in the interval.' },
  { value: 'sessions', label: 'Sessions' },
];

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

/** @param path of a field, joined by dots @returns its line, from 1; undefined if the text does not have it */
export function lineOf(text: string, path: string): number | undefined {
  let at = 0;
  for (const name of path.split('.')) {
    // Elements of a list have no names.
    if (/^\d+$/.test(name)) continue;
    at = text.indexOf(`${JSON.stringify(name)}:`, at);
    if (at < 0) return undefined;
  }
  return text.slice(0, at).split('\n').length;
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
