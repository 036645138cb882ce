/** Keeps the key spaces of exports apart, so that no two exports of the installation can write the same key. */
import { overlaps, parseKeySpace, withModel, type KeySpace } from '../destinations/key-space.ts';
import { Conflict } from '../../platform/errors.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import type { PlaceStore } from './places.store.ts';

type KeySpaceOwner = Pick<BatchExport, 'id' | 'model' | 'keySpace'>;

/** The key space of an export, even of a row that an earlier version wrote. */
export function keySpaceOf({ keySpace, model }: Omit<KeySpaceOwner, 'id'>): KeySpace {
  const { folder, ...rest } = parseKeySpace(keySpace);
  return { ...rest, folder: folder === null ? null : withModel(folder, model) };
}

/** Whether two key spaces are the same, even if different versions wrote their texts. */
export function isSameKeySpace(one: Omit<KeySpaceOwner, 'id'>, other: Omit<KeySpaceOwner, 'id'>): boolean {
  return JSON.stringify(keySpaceOf(one)) === JSON.stringify(keySpaceOf(other));
}

/**
 * Locks the store of a key space and checks that no other export has keys there. To be called in the transaction that stores the key space.
 * @throws Conflict when another export, or an unsettled run of one, may write to one of its keys
 */
export async function assertKeySpaceFree({ places }: { places: PlaceStore }, owner: KeySpaceOwner): Promise<void> {
  const ours = keySpaceOf(owner);
  // The lock is held until the transaction ends, so the second of two concurrent transactions sees the key space of the first.
  // tooth: place-lock
  await places.lockStore(ours.store);
  for (const { keySpace, model } of await places.listReservations(ours.searchMarker, owner.id)) {
    // tooth: place-overlap
    if (overlaps(ours, keySpaceOf({ keySpace, model }))) throw placeTakenError();
  }
}

export function placeTakenError(): Conflict {
  return new Conflict(
    'Another batch export already delivers to this place, or a run of one still does: choose another prefix, directory or table, ' +
      'or delete that export and wait for its runs to end.',
  );
}
