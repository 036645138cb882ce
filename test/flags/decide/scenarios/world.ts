/** The stored rows of a scenario: also rows that the API would refuse. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../../../src/platform/db/connection.ts';
import { buildCohort, buildFlag } from '../../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../../support/api/identity.ts';
import type { Scenario } from './scenario.ts';

const AT = '2024-02-03T04:05:06Z';

export async function buildScenario(db: Knex, scenario: Scenario): Promise<Tenant> {
  const { flags = [], persons = {}, groups = {}, cohorts = {}, kept = {}, cookieless, quota } = scenario;
  const tenant = await buildTenant(db);
  const { projectId } = tenant;
  if (quota !== undefined) await db('projects').where({ id: projectId }).update({ flag_requests_per_month: quota });
  if (cookieless) await db('projects').where({ id: projectId }).update({ cookieless_server_hash_mode: 1 });
  const personOf = await buildPersons(db, projectId, persons);
  await buildGroups(db, projectId, groups);
  const ids: Record<string, number> = {};
  for (const [name, given] of Object.entries(cohorts)) {
    const isStatic = Array.isArray(given);
    const id = await buildCohort(db, projectId, isStatic ? undefined : (named(given, ids) as object));
    ids[`cohort ${name}`] = id;
    for (const member of isStatic ? (given as string[]) : []) {
      const row = { project_id: projectId, cohort_id: id, person_id: personOf.get(member) };
      await db('cohort_members').insert(row);
    }
  }
  // Flags name each other, also in circles: their ids come first.
  for (const { filters: _, ...flag } of flags) ids[`flag ${flag.key}`] = await buildFlag(db, projectId, flag);
  for (const { key, filters } of flags) {
    if (!filters) continue;
    await db('feature_flags')
      .where({ id: ids[`flag ${key}`] })
      .update({ filters: named(filters, ids), version: 1 });
  }
  for (const [distinctId, hashKeys] of Object.entries(kept)) {
    for (const [flag, hashKey] of Object.entries(hashKeys)) {
      const row = { feature_flag_key: flag, hash_key: hashKey };
      await db('feature_flag_hash_key_overrides').insert({
        project_id: projectId,
        person_id: personOf.get(distinctId),
        ...row,
      });
    }
  }
  return tenant;
}

/** With ids for names: of flags as texts, as they are stored; a name that stands for nothing is an id of nobody's. */
function named(value: object, ids: Record<string, number>): unknown {
  const text = JSON.stringify(value).replaceAll(/"<([^>]+)>"/g, (_whole, name: string) => {
    const id = ids[name] ?? 2_000_000_000;
    return name.startsWith('flag') ? `"${id}"` : `${id}`;
  });
  return JSON.parse(text);
}

async function buildPersons(db: Knex, projectId: number, persons: NonNullable<Scenario['persons']>) {
  const personOf = new Map<string, string>();
  for (const [names, properties] of Object.entries(persons)) {
    const id = randomUUID();
    const text = JSON.stringify(properties);
    await db('persons').insert({
      project_id: projectId,
      id,
      properties: text,
      is_identified: true,
      created_at: AT,
    });
    for (const distinct_id of names.split(' ')) {
      personOf.set(distinct_id, id);
      await db('person_distinct_ids').insert({
        project_id: projectId,
        distinct_id,
        person_id: id,
        version: 1,
        interval_time: AT,
      });
    }
  }
  return personOf;
}

async function buildGroups(db: Knex, projectId: number, groups: NonNullable<Scenario['groups']>): Promise<void> {
  for (const [index, [group_type, byKey]] of Object.entries(groups).entries()) {
    await db('group_types').insert({ project_id: projectId, group_type_index: index, group_type });
    for (const [group_key, properties] of Object.entries(byKey)) {
      await db('groups').insert({
        project_id: projectId,
        group_type_index: index,
        group_key,
        properties: JSON.stringify(properties),
        created_at: AT,
        version: 1,
      });
    }
  }
}
