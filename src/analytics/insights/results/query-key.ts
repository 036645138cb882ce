/** Names a result by a hash, the same for one query in one project with the same settings. */
import { createHash } from 'node:crypto';
import type { ParsedQuery } from '../../queries/parsing/parsed.ts';

/** Version of the engine's results. Raise this when one query gives other numbers, so older results are not found. */
const KEY_VERSION = 1;

/** @param query parsed, without the fields that only style a chart */
export function queryHash(query: ParsedQuery, settings: { timezone: string }): Buffer {
  return createHash('sha256')
    .update(canonicalJson([KEY_VERSION, settings.timezone, query]))
    .digest();
}

/** Writes JSON with sorted fields, so their order makes no difference. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, fieldValue: unknown) =>
    isObject(fieldValue) ? sortFields(fieldValue) : fieldValue,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortFields(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
