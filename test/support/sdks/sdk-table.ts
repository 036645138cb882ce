/** The flags and persons of test/sdks/table.json: what every SDK is asked for, and what it must say. */
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
  /** One for each person; absent: nobody is told of the flag. */
  values?: Value[];
};

export const TABLE_FILE = path.join(import.meta.dirname, '../../sdks/table.json');
export const { persons: PERSONS, flags: FLAGS } = JSON.parse(readFileSync(TABLE_FILE, 'utf8')) as {
  persons: Person[];
  flags: Flag[];
};

/** A line that a program prints: what one person was told of one flag. */
export type Told = { person: string; flag: string; value: Value; payload?: unknown };

/** The answers of `/flags`, to the payloads. @param runtime of who asks */
export function expectedFromServer(runtime: 'server' | 'client'): Told[] {
  const seen = FLAGS.filter(({ evaluation_runtime: of = runtime }) => of === runtime);
  return seen.flatMap(({ key, values = [], filters }) =>
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
 * @param asleep the error that the provider tells of a flag that is not active
 */
export function expectedFromOpenFeature(runtime: 'server' | 'client', asleep: string | null = null) {
  return FLAGS.flatMap(({ key, active = true, evaluation_runtime: of = runtime, filters, values = [] }) =>
    PERSONS.map(({ id }, index) => {
      const given = active && of === runtime ? values[index] : undefined;
      return {
        person: id,
        flag: key,
        value: given ?? (filters.multivariate ? 'default' : true),
        error: of !== runtime ? 'FLAG_NOT_FOUND' : active ? null : asleep,
      };
    }),
  );
}

/** A text in the table is JSON, as in the API. */
function payloadOf(given: unknown): unknown {
  return typeof given === 'string' ? (JSON.parse(given) as unknown) : (given ?? null);
}

export type TableWorld = Tenant & { personalKey: string; secretKey: string };

/** The first person's id from before she was identified: what she keeps is of then. */
const BEFORE = 'visitor-7';

/** A project with the persons, groups and flags of the table. What can be made over the API is made so. */
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
  const made = (resource: string, body: object) =>
    post<{ id: number }>(`/api/projects/${projectId}/${resource}/`, body);
  const pro = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
  const filters = { properties: { type: 'OR', values: [{ type: 'AND', values: [pro] }] } };
  const pros = await made('cohorts', { name: 'pros', filters });
  const invited = await made('cohorts', { name: 'invited', is_static: true });
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
    ids[`flag ${flag.key}`] = (await made('feature_flags', JSON.parse(text) as object)).id;
  }
  const first = PERSONS[0]!.id;
  await post('/flags/', { token: tenant.apiToken, distinct_id: first, $anon_distinct_id: BEFORE });
  return {
    ...tenant,
    personalKey: await buildPersonalKey(db, tenant, 'feature_flag:read'),
    secretKey: await buildProjectSecretKey(db, tenant, 'feature_flag:read'),
  };
}

/** A person of whom nothing is known is not there. */
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
  const known = Object.keys(properties).length > 0;
  const signedUp = { event: 'signed up', distinct_id: id, properties: { $set: properties } };
  const batch = [...events, ...(known ? [signedUp] : [])];
  const answer = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ api_key: tenant.apiToken, batch }),
  });
  assert.equal(answer.status, 200);
}
