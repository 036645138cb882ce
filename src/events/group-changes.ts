/** Groups, such as companies: what `$groupidentify` says about them. */

/** @example { typeIndex: 0, key: 'acme', properties: '{"tier":"gold"}' } */
export type GroupUpdate = {
  /** 0 to 4, from `group_types`. */
  typeIndex: number;
  key: string;
  /** JSON text of an object. */
  properties: string;
};

/**
 * @param subjects in the order of their arrival: later properties lie over earlier ones
 * @returns JSON as the SQL function `change_groups` reads it, sorted so that no two transactions wait for each other; undefined: none
 */
export function groupChanges(subjects: readonly { group?: GroupUpdate }[]): string | undefined {
  const groups = new Map<string, GroupUpdate[]>();
  for (const { group } of subjects) {
    if (!group) continue;
    const name = `${group.typeIndex}:${group.key}`;
    const updates = groups.get(name);
    if (updates) updates.push(group);
    else groups.set(name, [group]);
  }
  if (groups.size === 0) return undefined;
  const names = [...groups.keys()].sort();
  return `[${names.map((name) => changeJson(groups.get(name)!)).join(',')}]`;
}

function changeJson(updates: readonly GroupUpdate[]): string {
  const { typeIndex, key, properties } = updates[0]!;
  const merged = updates.length === 1 ? properties : mergedJson(updates);
  return `{"index":${typeIndex},"key":${JSON.stringify(key)},"properties":${merged}}`;
}

/** fromEntries defines properties: a name like `__proto__` is nothing special to it. */
function mergedJson(updates: readonly GroupUpdate[]): string {
  const entries = updates.flatMap(({ properties }) => Object.entries(JSON.parse(properties) as object));
  return JSON.stringify(Object.fromEntries(entries));
}
