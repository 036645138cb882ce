/** Groups in events: `$groups` says which ones an event belongs to, `$groupidentify` what is known about one. */
import type { GroupUpdate } from '../../ingest/group-changes.ts';
import type { GroupTypes } from '../../ingest/group-types.ts';
import { storableText } from '../../../platform/wire/json.ts';
import { isObject, type RawObject } from '../envelope.ts';
import { LIMITS } from '../limits.ts';

const NO_NAMES: ReadonlySet<string> = new Set();

/** More than a project can have: which others there are makes no difference to it, and an event may name 100,000. */
const MOST_NAMES = 100;

/** @returns the types of groups that these events, not looked at yet, name; the first of very many */
export function namedGroupTypes(events: readonly unknown[]): ReadonlySet<string> {
  let names: Set<string> | undefined;
  for (const event of events) {
    const properties = isObject(event) ? event['properties'] : undefined;
    if (!isObject(properties)) continue;
    const { $groups: groups, $group_type: type } = properties;
    if (type === undefined && !isObject(groups)) continue;
    names ??= new Set();
    for (const name of [...(isObject(groups) ? Object.keys(groups) : []), type]) {
      if (names.size === MOST_NAMES) return names;
      if (isTypeName(name)) names.add(storableText(name));
    }
  }
  return names ?? NO_NAMES;
}

function isTypeName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= LIMITS.groupTypeLength;
}

/** @returns `$group_0` to `$group_4` for the groups that the event belongs to, undefined when it belongs to none */
export function groupKeys({ $groups: groups }: RawObject, types: GroupTypes): RawObject | undefined {
  if (!isObject(groups)) return undefined;
  const keys: Record<string, string> = {};
  for (const [type, value] of Object.entries(groups)) {
    const index = types.get(storableText(type));
    const key = keyOf(value);
    if (index !== undefined && key !== undefined) keys[`$group_${index}`] = key;
  }
  return keys;
}

/** @param properties of a `$groupidentify`, fit to be stored */
export function readGroupUpdate(properties: RawObject, types: GroupTypes): GroupUpdate | undefined {
  const { $group_type: type, $group_set: set } = properties;
  const key = keyOf(properties['$group_key']);
  const typeIndex = typeof type === 'string' ? types.get(type) : undefined;
  if (typeIndex === undefined || key === undefined) return undefined;
  return { typeIndex, key, properties: isObject(set) ? JSON.stringify(set) : '{}' };
}

/** Numbers are ids too. */
function keyOf(value: unknown): string | undefined {
  const key = typeof value === 'number' ? String(value) : value;
  return typeof key === 'string' && key !== '' ? key.slice(0, LIMITS.groupKeyLength).toWellFormed() : undefined;
}
