/** The subject of a filter, whose properties the filter reads: rows of `persons`, or of `groups` of one type, under one alias. */
import { escapeLiteral } from 'pg';
import { currentOfInitial } from '../evaluation/initial-properties.ts';

export type Subject = 'person' | { groupTypeIndex: number };

/** Alias of the subject's row in the SQL of this folder. */
export const ALIAS = 'subject';

/** @returns SQL of the table, and of the condition that selects the project's rows for the subject */
export function subjectRows(projectId: number, subject: Subject): { table: string; condition: string } {
  const ofProject = `${ALIAS}.project_id = ${projectId}`;
  if (subject === 'person') return { table: `persons as ${ALIAS}`, condition: ofProject };
  return {
    table: `groups as ${ALIAS}`,
    condition: `${ofProject} and ${ALIAS}.group_type_index = ${subject.groupTypeIndex}`,
  };
}

/** Format in which decide reads an instant. */
const ISO_INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** SQL of the jsonb object that filters of the type `person_metadata` read. */
export const PERSON_METADATA = `jsonb_build_object('created_at', to_char(${ALIAS}.created_at at time zone 'UTC', ${ISO_INSTANT}))`;

/** SQL of an object without properties, for filters that read properties of the other kind of subject. */
export const NO_PROPERTIES = `'{}'::jsonb`;

/** @returns SQL of a jsonb object that contains the property if the person has it */
export function personProperties(key: string): string {
  const stored = `${ALIAS}.properties`;
  const present = currentOfInitial(key);
  if (present === undefined) return stored;
  // As in decide, the current value stands for an initial value that is not stored.
  const names = [escapeLiteral(key), escapeLiteral(present)];
  return `(case when jsonb_exists(${stored}, ${names[1]}) then jsonb_build_object(${names[0]}, ${stored} -> ${names[1]}) else '{}' end || ${stored})`;
}

/** @returns SQL of a jsonb object that contains the property if the group has it */
export function groupProperties(key: string): string {
  return key === '$group_key' ? `jsonb_build_object('$group_key', ${ALIAS}.group_key)` : `${ALIAS}.properties`;
}
