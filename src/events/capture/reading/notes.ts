/** Reasons why an event is stored differently from how it was sent: ingestion warnings before the event's id is known. */
import { cut } from '../../../platform/wire/cut.ts';

export type Note = { code: string; detail: string };

/** Characters of a sender's value in the text of a note. */
const SHOWN_LENGTH = 100;

/** @returns the value as JSON, shortened; objects and lists, which may have any size, are only described */
export function shortJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, SHOWN_LENGTH));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'is no text, and';
}
