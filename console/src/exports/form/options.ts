/** Choices of the form that all destinations share, and the configuration of a destination to and from text. */
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
