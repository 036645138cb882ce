/** Stored events, persons and groups for the API. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Room } from '../../platform/http/room.ts';
import type { Route } from '../../platform/http/route.ts';
import { personAndGroupChanges } from './changes.ts';
import { erasureRoutes, type ErasuresApi } from './erasures.routes.ts';
import { eventRoutes, type EventsApi } from './events.routes.ts';
import { eventStore } from './events.store.ts';
import { groupRoutes, type GroupsApi } from './groups.routes.ts';
import { personRoutes, type PersonsApi } from './persons.routes.ts';
import { personAndGroupStores } from './stores.ts';

export type RecordsApi = EventsApi & PersonsApi & GroupsApi & ErasuresApi;

export const recordRoutes: readonly Route<RecordsApi>[] = [
  ...eventRoutes,
  ...personRoutes,
  ...erasureRoutes,
  ...groupRoutes,
];

/** @param lookups made with LOOKUP_OPTIONS */
export function createRecordsRoom(lookups: Knex): Room<RecordsApi> {
  const stores = personAndGroupStores(lookups);
  return { collaborators: { events: eventStore(lookups), ...stores, peopleChanges: personAndGroupChanges(stores) } };
}
