/** Names a result: the same query, computed in the same project with the same settings, has one. */
import { createHash } from 'node:crypto';
import type { ParsedQuery } from '../../queries/parsing/parsed.ts';

/** Raise it when the engine computes something else from the same query: what was stored before is then not found. */
const MEANING = 1;

/** @param query as it is computed: how a chart looks makes no difference */
export function queryHash(query: ParsedQuery, settings: { timezone: string }): Buffer {
  return createHash('sha256')
    .update(canonicalJson([MEANING, settings.timezone, query]))
    .digest();
}

/** JSON in which the order of members makes no difference. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (isObject(member) ? sorted(member) : member));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
