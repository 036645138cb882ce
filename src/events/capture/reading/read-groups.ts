/** Reads groups in events: `$groups` names the groups of an event, `$groupidentify` sets properties of one. */
import type { GroupUpdate } from '../../ingest/group-changes.ts';
import type { GroupTypes } from '../../ingest/group-types.ts';
import { storableText } from '../../../platform/wire/json.ts';
import { isObject, type RawObject } from '../envelope.ts';
import { LIMITS } from '../limits.ts';
import type { Note } from './notes.ts';

const NO_NAMES: ReadonlySet<string> = new Set();

/** More than a project can have. Further names make no difference to a project, and an event may name 100,000. */
const MAX_NAMES = 100;

/** @returns the group types that these unchecked events name; only the first ones if there are very many */
export function groupTypesIn(events: readonly unknown[]): ReadonlySet<string> {
  let names: Set<string> | undefined;
  for (const event of events) {
    const properties = isObject(event) ? event['properties'] : undefined;
    if (!isObject(properties)) continue;
    const { $groups: groups, $group_type: type } = properties;
    if (type === undefined && !isObject(groups)) continue;
    names ??= new Set();
    for (const name of [...(isObject(groups) ? Object.keys(groups) : []), type]) {
      if (names.size === MAX_NAMES) return names;
      if (isTypeName(name)) names.add(storableText(name));
    }
  }
  return names ?? NO_NAMES;
}

function isTypeName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= LIMITS.groupTypeLength;
}

/**
 * @param notes gets a note for each key that is cut
 * @returns `$group_0` to `$group_4` for the groups that the event belongs to; undefined without `$groups`
 */
export function groupKeys({ $groups: groups }: RawObject, types: GroupTypes, notes: Note[]): RawObject | undefined {
  if (!isObject(groups)) return undefined;
  const keys: Record<string, string> = {};
  for (const [type, value] of Object.entries(groups)) {
    const index = types.get(storableText(type));
    if (index === undefined) continue;
    const key = keyOf(value, notes);
    if (key !== undefined) keys[`$group_${index}`] = key;
  }
  return keys;
}

/**
 * @param properties of a `$groupidentify`, fit to be stored
 * @param notes gets a note when the key is cut
 */
export function readGroupUpdate(properties: RawObject, types: GroupTypes, notes: Note[]): GroupUpdate | undefined {
  const { $group_type: type, $group_set: set } = properties;
  const typeIndex = typeof type === 'string' ? types.get(type) : undefined;
  if (typeIndex === undefined) return undefined;
  const key = keyOf(properties['$group_key'], notes);
  if (key === undefined) return undefined;
  return { typeIndex, key, properties: isObject(set) ? JSON.stringify(set) : '{}' };
}

/** @returns the group key, which may be sent as a number; undefined without a key */
function keyOf(value: unknown, notes: Note[]): string | undefined {
  const key = typeof value === 'number' ? String(value) : value;
  if (typeof key !== 'string' || key === '') return undefined;
  if (key.length > LIMITS.groupKeyLength) {
    const detail = `A group key of the event was cut after ${LIMITS.groupKeyLength} characters.`;
    notes.push({ code: 'group_key_truncated', detail });
  }
  return key.slice(0, LIMITS.groupKeyLength).toWellFormed();
}
