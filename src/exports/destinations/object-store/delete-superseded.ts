/** Deletes files that left the manifest. A delete cannot be fenced, so only names that are never reused are deleted. */
import type { DeletedFiles } from '../superseded.ts';
import { readManifest } from './manifest.ts';
import type { FileSession } from './staging.ts';

/**
 * Stops at the first file whose deletion the store denies.
 * @param dueKeys called after the manifest was read, because a commit records the leaving files before it changes the manifest
 */
export async function deleteSuperseded(
  { store, names, delivery, context }: FileSession,
  dueKeys: () => Promise<readonly string[]>,
): Promise<DeletedFiles> {
  const goneKeys: string[] = [];
  const manifest = await readManifest(store, names.manifest, delivery);
  const named = new Set(manifest?.files.map(({ key }) => key));
  for (const key of await dueKeys()) {
    context.signal.throwIfAborted();
    // tooth: store-delete-unnamed
    if (!named.has(key) && names.isVersioned(key) && (await store.remove(key)) === 'denied')
      return { goneKeys, isDenied: true };
    goneKeys.push(key);
  }
  return { goneKeys, isDenied: false };
}
