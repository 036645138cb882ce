/** A small client of decide, and builders of flags for it. */
import type { Knex } from '../../../src/platform/db/connection.ts';
import { buildFlag } from '../database/flag-rows.ts';

export type DecideAnswer = { status: number; headers: Headers; body: Record<string, unknown> };

/** @param body sent as JSON, unless it is a string or bytes already */
export async function postDecide(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<DecideAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: raw ? (body as string) : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

type Condition = { properties?: object[]; rollout_percentage?: number; variant?: string };

/** A flag that is on for persons with all of these properties; a list matches any of its values. */
export async function buildFlagFor(
  db: Knex,
  projectId: number,
  key: string,
  properties: Record<string, unknown> = {},
  { payload, ...flag }: Parameters<typeof buildFlag>[2] & { payload?: string } = {},
): Promise<number> {
  const condition: Condition = {
    properties: Object.entries(properties).map(([name, value]) => ({
      key: name,
      type: 'person',
      operator: 'exact',
      value,
    })),
    rollout_percentage: 100,
  };
  const filters = { groups: [condition], ...(payload !== undefined && { payloads: { true: payload } }) };
  return buildFlag(db, projectId, { key, filters, ...flag });
}

/** A flag with these variants in equal shares. */
export async function buildVariants(
  db: Knex,
  projectId: number,
  key: string,
  variants: string[],
  flag: Parameters<typeof buildFlag>[2] = {},
): Promise<number> {
  const filters = {
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: { variants: variants.map((name) => ({ key: name, rollout_percentage: 100 / variants.length })) },
  };
  return buildFlag(db, projectId, { key, filters, ...flag });
}

/** Each flag's value in an answer with details. */
export function valuesOf({ body }: DecideAnswer): Record<string, boolean | string> {
  const flags = body['flags'] as Record<string, { enabled: boolean; variant: string | null }>;
  return Object.fromEntries(
    Object.entries(flags).map(([key, { enabled, variant }]) => [key, enabled && variant !== null ? variant : enabled]),
  );
}
