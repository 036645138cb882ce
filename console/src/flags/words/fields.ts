/** The fields of a flag that people change. */
import type { Flag } from '../flags-data.ts';
import { equal } from './equal.ts';

const NAMES = [
  'key',
  'name',
  'active',
  'filters',
  'tags',
  'ensure_experience_continuity',
  'evaluation_runtime',
  'bucketing_identifier',
  'evaluation_contexts',
  'is_remote_configuration',
  'has_encrypted_payloads',
] as const;

export type Fields = Pick<Flag, (typeof NAMES)[number]>;

export function fieldsOf(flag: Fields): Fields {
  return Object.fromEntries(NAMES.map((name) => [name, flag[name]])) as Fields;
}

export const isField = (name: string): name is keyof Fields => (NAMES as readonly string[]).includes(name);

/** @returns the fields that differ, with their new values */
export function differences(before: Fields, after: Fields): Partial<Fields> {
  return Object.fromEntries(
    NAMES.filter((name) => !equal(before[name], after[name])).map((name) => [name, after[name]]),
  );
}
