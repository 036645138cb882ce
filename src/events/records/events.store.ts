/** Events as they arrived, newest first, in pages for people and API clients. Exports read them by `reading/read.ts`. */
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { ListedRow, PageWindow } from '../../platform/http/parameters/pagination.ts';
import { cutToPage, ensureAnswered } from '../table/lookup.ts';
import { EVENTS_WITH_PERSONS } from '../table/person-states.ts';
import { isRetainedSql } from '../table/retained-from.ts';

export type StoredEvent = {
  uuid: string;
  event: string;
  distinctId: string;
  /** The event's person when it was stored; `personProperties` are that person's after the event. */
  personId: string;
  properties: unknown;
  personProperties: unknown;
  elementsChain: string;
  timestamp: string;
  createdAt: string;
};

/** In a list, an event is placed by its `interval_time`: when it was stored, or for history when it happened. */
export type ListedEvent = ListedRow & { stored: StoredEvent };

export type EventFilter = {
  event?: string | undefined;
  distinctId?: string | undefined;
  personId?: string | undefined;
  /** Exclusive bound of the timestamp. ISO, UTC. */
  after?: string | undefined;
  before?: string | undefined;
};

type Row = {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  properties: unknown;
  person_properties: unknown;
  elements_chain: string;
  timestamp: string;
  created_at: string;
  interval_time: string;
};

/**
 * Events are read in the order of the index `events_interval`, because no index has the distinct id. Measured on events of a kilobyte, a
 * B-tree would add 3 us to the 24 that storing an event costs Postgres, and 13 % of journal; a hash index 0.9 us and 7 %; and either
 * more once it outgrows memory. That is too much for rare requests. `after` limits the rows that are scanned.
 */
const CONDITIONS: Record<keyof EventFilter, string> = {
  event: 'event = :event',
  distinctId: 'distinct_id = :distinctId',
  // Events from before a merge were stored with the former person.
  personId: `(person_id = :personId or distinct_id in (
    select distinct_id from person_distinct_ids where project_id = :projectId and person_id = :personId))`,
  // Capture takes no timestamp from more than a day ahead, so an event that happened later than this was not stored much earlier.
  after: `"timestamp" > :after and interval_time > cast(:after as timestamptz) - interval '1 day'`,
  before: '"timestamp" < :before',
};

const NARROWER_HINT = 'Ask for less: `after` bounds what is looked through.';

export function eventStore(db: Knex) {
  return {
    /** Lists events, newest first. @throws Unavailable after five seconds */
    async list(projectId: number, filter: EventFilter, page: PageWindow): Promise<ListedEvent[]> {
      const { sign, order, edge } = keysetOf(page);
      const filterNames = Object.keys(CONDITIONS) as (keyof EventFilter)[];
      const conditions = [
        'project_id = :projectId',
        isRetainedSql(':projectId'),
        ...filterNames.filter((name) => filter[name] !== undefined).map((name) => CONDITIONS[name]),
        // Compares `interval_time` alone, too, because Postgres cannot choose the monthly partitions by the row comparison.
        ...(edge ? [`interval_time ${sign}= :edgeTime and (interval_time, uuid) ${sign} (:edgeTime, :edgeUuid)`] : []),
      ];
      const sorting = `interval_time ${order}, uuid ${order}`;
      const nearest = `select * from ${EVENTS_WITH_PERSONS} where ${conditions.join(' and ')} order by ${sorting} limit :limit`;
      const { rows } = await ensureAnswered(
        db.raw<{ rows: (Row & { beyond: boolean })[] }>(cutToPage(nearest, sorting), {
          ...bindingsOf(filter),
          projectId,
          limit: page.limit,
          ...(edge && { edgeTime: edge.createdAt, edgeUuid: edge.id }),
        }),
        NARROWER_HINT,
      );
      const listed = rows.map((row) => ({
        createdAt: row.interval_time,
        id: row.uuid,
        beyond: row.beyond,
        stored: eventFrom(row),
      }));
      return newestFirst(listed, page);
    },

    /** @throws NotFound when this project has no such event; Unavailable after five seconds */
    async get(projectId: number, uuid: string): Promise<StoredEvent> {
      // Scans only for a claimed uuid: ingest claims every event's.
      const { rows } = await ensureAnswered(
        db.raw<{ rows: Row[] }>(
          `select * from ${EVENTS_WITH_PERSONS} where project_id = :projectId and uuid = :uuid and ${isRetainedSql(':projectId')}
             and exists (select from event_ids where project_id = :projectId and uuid = :uuid)
           order by interval_time desc limit 1`,
          { projectId, uuid },
        ),
        'Newer events are found sooner; the list finds this one with `after` and `before`.',
      );
      if (!rows[0]) throw new NotFound();
      return eventFrom(rows[0]);
    },
  };
}

function bindingsOf(filter: EventFilter): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function eventFrom(row: Row): StoredEvent {
  return {
    uuid: row.uuid,
    event: row.event,
    distinctId: row.distinct_id,
    personId: row.person_id,
    properties: row.properties,
    personProperties: row.person_properties,
    elementsChain: row.elements_chain,
    timestamp: row.timestamp,
    createdAt: row.created_at,
  };
}

export type EventStore = ReturnType<typeof eventStore>;
