/** The flags and persons of test/sdks/table.json, and the values that every SDK must return for them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../api/identity.ts';
import type { Sluice } from '../servers/sluice.ts';

export type Value = boolean | string;
export type Person = {
  id: string;
  groups: Record<string, string>;
  person_properties: Record<string, unknown>;
  group_properties: Record<string, Record<string, unknown>>;
};
type Flag = {
  key: string;
  active?: boolean;
  evaluation_runtime?: 'server' | 'client';
  filters: { multivariate?: object; payloads?: Record<string, unknown> };
  /** One value for each person; absent if the flag is in no answer. */
  values?: Value[];
};

export const TABLE_FILE = path.join(import.meta.dirname, '../../sdks/table.json');
export const { persons: PERSONS, flags: FLAGS } = JSON.parse(readFileSync(TABLE_FILE, 'utf8')) as {
  persons: Person[];
  flags: Flag[];
};

/** A line that a program prints: the value of one flag for one person. */
export type FlagValue = { person: string; flag: string; value: Value; payload?: unknown };

/** The answers of `/flags`, including payloads. @param runtime of the client */
export function expectedFromServer(runtime: 'server' | 'client'): FlagValue[] {
  const visibleFlags = FLAGS.filter(({ evaluation_runtime: flagRuntime = runtime }) => flagRuntime === runtime);
  return visibleFlags.flatMap(({ key, values = [], filters }) =>
    values.map((value, index) => ({
      person: PERSONS[index]!.id,
      flag: key,
      value,
      payload: payloadOf(filters.payloads?.[String(value)]),
    })),
  );
}

/**
 * Values that OpenFeature's providers give, with the program's own defaults where there is no value.
 * @param inactiveError the provider's error for a flag that is not active
 */
export function expectedFromOpenFeature(runtime: 'server' | 'client', inactiveError: string | null = null) {
  return FLAGS.flatMap(({ key, active = true, evaluation_runtime: flagRuntime = runtime, filters, values = [] }) =>
    PERSONS.map(({ id }, index) => {
      const tableValue = active && flagRuntime === runtime ? values[index] : undefined;
      return {
        person: id,
        flag: key,
        value: tableValue ?? (filters.multivariate ? 'default' : true),
        error: flagRuntime !== runtime ? 'FLAG_NOT_FOUND' : active ? null : inactiveError,
      };
    }),
  );
}

/** Parses a payload: a text in the table is JSON, as in the API. */
function payloadOf(payload: unknown): unknown {
  return typeof payload === 'string' ? (JSON.parse(payload) as unknown) : (payload ?? null);
}

export type TableWorld = Tenant & { personalKey: string; secretKey: string };

/** The first person's id before she was identified, which decides the flags with experience continuity. */
const BEFORE = 'visitor-7';

/** A project with the persons, groups and flags of the table, made over the API where possible. */
export async function buildTableWorld({ db, url }: Sluice): Promise<TableWorld> {
  const tenant = await buildTenant(db);
  const { projectId } = tenant;
  const key = await buildPersonalKey(db, tenant, '*');
  async function post<T>(address: string, body: object): Promise<T> {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const answer = await fetch(url + address, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${address}: ${await answer.clone().text()}`);
    return (await answer.json()) as T;
  }

  for (const person of PERSONS) {
    await capturePerson(url, tenant, person);
  }
  const createResource = (resource: string, body: object) =>
    post<{ id: number }>(`/api/projects/${projectId}/${resource}/`, body);
  const pro = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
  const filters = { properties: { type: 'OR', values: [{ type: 'AND', values: [pro] }] } };
  const pros = await createResource('cohorts', { name: 'pros', filters });
  const invited = await createResource('cohorts', { name: 'invited', is_static: true });
  await db.raw(
    `insert into cohort_members (project_id, cohort_id, person_id)
     select project_id, ?, person_id from person_distinct_ids where project_id = ? and distinct_id = 'bob'`,
    [invited.id, projectId],
  );
  const ids: Record<string, number> = { 'cohort pros': pros.id, 'cohort invited': invited.id };
  for (const { values: _, ...flag } of FLAGS) {
    const text = JSON.stringify(flag).replaceAll(/"<([^>]+)>"/g, (_whole, name: string) =>
      name.startsWith('flag') ? `"${ids[name]}"` : `${ids[name]}`,
    );
    ids[`flag ${flag.key}`] = (await createResource('feature_flags', JSON.parse(text) as object)).id;
  }
  const first = PERSONS[0]!.id;
  await post('/flags/', { token: tenant.apiToken, distinct_id: first, $anon_distinct_id: BEFORE });
  return {
    ...tenant,
    personalKey: await buildPersonalKey(db, tenant, 'feature_flag:read'),
    secretKey: await buildProjectSecretKey(db, tenant, 'feature_flag:read'),
  };
}

/** Captures a person; one without properties is not stored. */
async function capturePerson(
  url: string,
  tenant: Tenant,
  { id, person_properties: properties, groups, group_properties }: Person,
) {
  const events = Object.entries(groups).map(([type, group]) => ({
    event: '$groupidentify',
    distinct_id: `$${type}_${group}`,
    properties: {
      $group_type: type,
      $group_key: group,
      $group_set: group_properties[type],
    },
  }));
  const hasProperties = Object.keys(properties).length > 0;
  const signedUp = { event: 'signed up', distinct_id: id, properties: { $set: properties } };
  const batch = [...events, ...(hasProperties ? [signedUp] : [])];
  const answer = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ api_key: tenant.apiToken, batch }),
  });
  assert.equal(answer.status, 200);
}
