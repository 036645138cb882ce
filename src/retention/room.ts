/** The growing tables, for the API. */
import type { Knex } from '../platform/db/connection.ts';
import type { Room } from '../platform/http/room.ts';
import type { Route } from '../platform/http/route.ts';
import { storageRoutes, type StorageApi } from './storage/storage.routes.ts';
import { storageStore } from './storage/storage.store.ts';

export type RetentionApi = StorageApi;

export const retentionRoutes: readonly Route<RetentionApi>[] = storageRoutes;

/** @param lookups made with LOOKUP_OPTIONS */
export function createRetentionRoom(lookups: Knex): Room<RetentionApi> {
  return { collaborators: { storage: storageStore(lookups) } };
}
