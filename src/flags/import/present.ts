/** Finds the items of an import that exist on this server already. */
import type { ApiClient } from './api-client.ts';
import { isFields, type Fields } from './exported.ts';
import type { ItemDefinition } from './kinds.ts';

export type Present = {
  id: number;
  active: boolean;
  version: number;
  /** Fields as the API shows them. */
  fields: Fields;
};

/** Finds items by name; several cohorts may share one. Remembers only these items, so the server's list may be of any length. */
export async function findPresentItems(
  target: ApiClient,
  definition: ItemDefinition,
  names: ReadonlySet<string>,
): Promise<Map<string, Present[]>> {
  const found = new Map<string, Present[]>();
  for await (const item of target.list(definition.path)) {
    const name = isFields(item) ? item[definition.nameField] : undefined;
    if (typeof name !== 'string' || !names.has(name)) continue;
    const same = found.get(name);
    if (same) same.push(presentItem(item as Fields));
    else found.set(name, [presentItem(item as Fields)]);
  }
  return found;
}

/** Finds an item that may have been created since the list was read. */
export async function findPresentItem(
  target: ApiClient,
  definition: ItemDefinition,
  name: string,
): Promise<Present | undefined> {
  for await (const item of target.list(definition.path, {}, { search: name })) {
    if (isFields(item) && item[definition.nameField] === name) return presentItem(item);
  }
  return undefined;
}

function presentItem(fields: Fields): Present {
  const { id, active = true, version = 0 } = fields;
  return { id: Number(id), active: active === true, version: Number(version), fields };
}
