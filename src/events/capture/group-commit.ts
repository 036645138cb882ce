/**
 * Group commit: requests that arrive together are stored by one transaction, and each is answered after the commit. The busier
 * the process, the larger the groups, the less each event costs.
 */
import { POOLS } from '../../platform/db/pools.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { EventRows } from '../ingest/event-rows.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { createSharedRoom } from '../../platform/fairness/shared-room.ts';

/** Concurrent transactions of all projects; a single project gets half of them, so another project need not wait for it. */
export const GROUPS_IN_FLIGHT = POOLS.capture.maxConnections;
/** Amount of one project's waiting data that justifies a second concurrent transaction; less data waits and makes a larger group. */
const SECOND_CONNECTION_BYTES = 256 * 1024;
/** Wait after a large group, so that the next requests of its clients form one group; this doubles the size of groups. */
const LINGER_MS = 1;
const LINGER_AFTER_REQUESTS = 8;
const GROUP_EVENTS = 2_000;
const GROUP_BYTES = 4 * 1024 * 1024;
const QUEUED_REQUESTS = 10_000;
/** Clients give up after ten seconds and send again, so events that would be stored later than that must be refused. */
const LONGEST_WAIT_MS = 4_000;
/** Weight of the newest group in the average of how long groups take. */
const NEWEST_WEIGHT = 0.2;

type Waiting = { rows: EventRows; resolve(refusedRows: number[]): void; reject(error: unknown): void };

/** The requests of one project. */
type Queue = {
  waiting: Waiting[];
  events: number;
  bytes: number;
  inFlight: number;
  isLingering: boolean;
  /** When the wait for the next group to end began, by the clock `now`. */
  waitBeganMs: number;
  /** Average wait until the next group ends; 0 when it is not known yet. */
  groupMs: number;
};

export type GroupCommit = {
  /**
   * @returns once committed, the indexes of the rows that Postgres refused
   * @throws Unavailable when the project has its share of the queue or would wait too long, or Postgres is away; repeating is harmless
   */
  store(rows: EventRows): Promise<number[]>;
  /** Resolves when everything that was asked for is stored. */
  drain(): Promise<void>;
};

/**
 * @param onFailure called once for each group that could not be stored, although all its requests fail
 * @param now milliseconds of a clock that never goes back
 */
export function createGroupCommit(
  ingest: Ingest,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): GroupCommit {
  /** Queues by project, in the order in which projects take turns. */
  const queues = new Map<number, Queue>();
  const queueRoom = createSharedRoom<number>(QUEUED_REQUESTS);
  const transactions = createSharedRoom<number>(GROUPS_IN_FLIGHT);
  let queued = 0;
  let inFlight = 0;
  let isFillPlanned = false;
  let onIdle: (() => void)[] = [];

  function store(rows: EventRows): Promise<number[]> {
    const { projectId } = rows;
    const queue = queues.get(projectId) ?? emptyQueue();
    // tooth: queue-wait
    if (expectedWaitMs(queue, now()) > LONGEST_WAIT_MS || !queueRoom.take(projectId, 1)) {
      throw new Unavailable('Too many events are waiting to be stored.', 2);
    }
    queues.set(projectId, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ rows, resolve, reject });
      queue.events += rows.ends.length;
      queue.bytes += rows.bytes.length;
      queued += 1;
      fillSoon();
    });
  }

  /** Requests that are read in this turn of the event loop join the group. */
  function fillSoon(): void {
    if (isFillPlanned || inFlight === GROUPS_IN_FLIGHT) return;
    isFillPlanned = true;
    setImmediate(() => {
      isFillPlanned = false;
      fill();
    });
  }

  function fill(): void {
    for (const [projectId, queue] of queues) {
      if (inFlight === GROUPS_IN_FLIGHT) return;
      // tooth: group-transactions
      if (!isReady(queue) || !transactions.take(projectId, 1)) continue;
      // Moves the project to the end of the line.
      queues.delete(projectId);
      queues.set(projectId, queue);
      void commit(projectId, queue, takeGroup(projectId, queue));
    }
  }

  function takeGroup(projectId: number, queue: Queue): Waiting[] {
    const group = queue.waiting.splice(0, groupLength(queue.waiting));
    for (const { rows } of group) {
      queue.events -= rows.ends.length;
      queue.bytes -= rows.bytes.length;
    }
    queued -= group.length;
    queueRoom.give(projectId, group.length);
    return group;
  }

  async function commit(projectId: number, queue: Queue, group: readonly Waiting[]): Promise<void> {
    if (queue.inFlight === 0) queue.waitBeganMs = now();
    inFlight += 1;
    queue.inFlight += 1;
    try {
      const refusedRows = await ingest.store(
        projectId,
        group.map((waiting) => waiting.rows),
      );
      group.forEach((waiting, index) => waiting.resolve(refusedRows[index]!));
      measure(queue, now());
    } catch (error) {
      onFailure(error);
      for (const waiting of group) waiting.reject(error);
    }
    inFlight -= 1;
    queue.inFlight -= 1;
    transactions.give(projectId, 1);
    if (group.length >= LINGER_AFTER_REQUESTS) linger(projectId, queue);
    else forgetIfIdle(projectId, queue);
    fill();
    if (inFlight + queued > 0) return;
    for (const resolve of onIdle) resolve();
    onIdle = [];
  }

  function linger(projectId: number, queue: Queue): void {
    queue.isLingering = true;
    setTimeout(() => {
      queue.isLingering = false;
      forgetIfIdle(projectId, queue);
      fill();
    }, LINGER_MS);
  }

  function forgetIfIdle(projectId: number, queue: Queue): void {
    const isIdle = queue.waiting.length + queue.inFlight === 0 && !queue.isLingering;
    // The project may have another queue by now: this one lingered twice.
    if (isIdle && queues.get(projectId) === queue) queues.delete(projectId);
  }

  return {
    store,
    drain: () => (inFlight + queued === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}

function emptyQueue(): Queue {
  return { waiting: [], events: 0, bytes: 0, inFlight: 0, isLingering: false, waitBeganMs: 0, groupMs: 0 };
}

/** Expected wait of a request that came now: the groups before it, if all are full, times the wait for each. */
function expectedWaitMs({ events, bytes, inFlight, waitBeganMs, groupMs }: Queue, nowMs: number): number {
  if (inFlight === 0) return 0;
  return Math.max(events / GROUP_EVENTS, bytes / GROUP_BYTES) * Math.max(groupMs, nowMs - waitBeganMs);
}

function measure(queue: Queue, nowMs: number): void {
  const lastMs = nowMs - queue.waitBeganMs;
  queue.groupMs += (lastMs - queue.groupMs) * (queue.groupMs === 0 ? 1 : NEWEST_WEIGHT);
  queue.waitBeganMs = nowMs;
}

function isReady({ waiting, bytes, inFlight, isLingering }: Queue): boolean {
  if (waiting.length === 0) return false;
  return bytes >= SECOND_CONNECTION_BYTES || (inFlight === 0 && !isLingering);
}

/** Number of requests in the next group: at least one, however large, because a request's events are stored together or not at all. */
function groupLength(queue: readonly Waiting[]): number {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex(({ rows }) => {
    events += rows.ends.length;
    bytes += rows.bytes.length;
    return events > GROUP_EVENTS || bytes > GROUP_BYTES;
  });
  return end < 0 ? queue.length : Math.max(end, 1);
}
