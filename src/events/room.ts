/** Events for the API: capture, stored events and persons, and warnings for senders. */
import type { Knex, Pool } from '../platform/db/connection.ts';
import type { Room } from '../platform/http/room.ts';
import type { DescribedRoute, Route } from '../platform/http/route.ts';
import type { Lane } from '../platform/lane/request.ts';
import { createCapture, type CaptureOptions } from './capture/capture.ts';
import { captureRoutes } from './capture/description.ts';
import { createSalts, type Salts } from './cookieless/salts.ts';
import { saltStore } from './cookieless/salts.store.ts';
import { createRecordsRoom, recordRoutes, type RecordsApi } from './records/room.ts';
import { createWarningWriter } from './warnings/warning-writer.ts';
import { warningRoutes, type WarningsApi } from './warnings/warnings.routes.ts';
import { warningStore } from './warnings/warnings.store.ts';

export type EventsRoomApi = RecordsApi & WarningsApi;

export const eventsRoutes: readonly Route<EventsRoomApi>[] = [...recordRoutes, ...warningRoutes];

/** Routes that the lane answers. */
export const eventsRawRoutes: readonly DescribedRoute[] = captureRoutes;

export type EventsRoomOptions = Omit<CaptureOptions, 'pool' | 'salts' | 'warn'> & {
  connections: {
    /** Database for salts and warnings. */
    db: Knex;
    /** Made with LOOKUP_OPTIONS. */
    lookups: Knex;
    /** Made with INGEST_TIMEOUTS. */
    ingest: Pool;
  };
};

export type EventsRoom = Room<EventsRoomApi> & {
  /** Answers capture's requests. */
  lane: Lane;
  /** Salts for visitors without cookies, used in other rooms too. */
  salts: Salts;
  close(): Promise<void>;
};

export function createEventsRoom({ connections, ...options }: EventsRoomOptions): EventsRoom {
  const { db, lookups, ingest } = connections;
  const { log } = options;
  const ingestionWarnings = warningStore(db);
  const warnings = createWarningWriter({ store: ingestionWarnings, log });
  const salts = createSalts({ store: saltStore(db), log });
  const capture = createCapture({ ...options, pool: ingest, salts, warn: warnings.note });
  return {
    collaborators: { ...createRecordsRoom(lookups).collaborators, ingestionWarnings },
    lane: capture.handle,
    salts,
    async close() {
      await capture.drain();
      await warnings.drain();
      await salts.close();
    },
  };
}
