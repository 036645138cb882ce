/**
 * Group commit: requests that arrive together are stored by one transaction, and each is answered after the commit. The busier
 * the process, the larger the groups, the less each event costs.
 */
import { Unavailable } from '../errors.ts';
import type { EventRows } from '../events/event-rows.ts';
import type { Ingest } from '../events/ingest.ts';

/** Transactions at once: while one waits for the disk, the next is filled. */
export const GROUPS_IN_FLIGHT = 2;
const GROUP_EVENTS = 2_000;
const GROUP_BYTES = 4 * 1024 * 1024;
const QUEUED_REQUESTS = 10_000;

type Waiting = { rows: EventRows; resolve(refused: number[]): void; reject(error: unknown): void };

export type GroupCommit = {
  /**
   * @returns once committed, the indexes of the rows that Postgres refused
   * @throws Unavailable when the queue is full or Postgres is not there; repeating is harmless
   */
  store(rows: EventRows): Promise<number[]>;
  /** Resolves when everything that was asked for is stored. */
  drain(): Promise<void>;
};

/** @param onFailure told once of each group that could not be stored, as all its requests are */
export function createGroupCommit(ingest: Ingest, onFailure: (error: unknown) => void): GroupCommit {
  /** In the order in which projects take turns. */
  const queues = new Map<number, Waiting[]>();
  let queued = 0;
  let inFlight = 0;
  let idle: (() => void)[] = [];

  function store(rows: EventRows): Promise<number[]> {
    if (queued >= QUEUED_REQUESTS) throw new Unavailable('Too many events are waiting to be stored.', 2);
    return new Promise((resolve, reject) => {
      const queue = queues.get(rows.projectId);
      if (queue) queue.push({ rows, resolve, reject });
      else queues.set(rows.projectId, [{ rows, resolve, reject }]);
      queued += 1;
      // Requests that are read in this turn of the event loop join the group.
      if (inFlight < GROUPS_IN_FLIGHT && queued === 1) setImmediate(fill);
    });
  }

  function fill(): void {
    while (inFlight < GROUPS_IN_FLIGHT && queued > 0) {
      const [projectId] = queues.keys();
      void commit(projectId!, takeGroup(projectId!));
    }
  }

  function takeGroup(projectId: number): Waiting[] {
    const queue = queues.get(projectId)!;
    const group = queue.splice(0, groupLength(queue));
    queued -= group.length;
    queues.delete(projectId);
    if (queue.length > 0) queues.set(projectId, queue);
    return group;
  }

  async function commit(projectId: number, group: readonly Waiting[]): Promise<void> {
    inFlight += 1;
    try {
      const refused = await ingest.store(
        projectId,
        group.map((waiting) => waiting.rows),
      );
      group.forEach((waiting, index) => waiting.resolve(refused[index]!));
    } catch (error) {
      onFailure(error);
      for (const waiting of group) waiting.reject(error);
    }
    inFlight -= 1;
    fill();
    if (inFlight > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  }

  return {
    store,
    drain: () => (inFlight + queued === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}

/** At least one request, however large: its events are stored together or not at all. */
function groupLength(queue: readonly Waiting[]): number {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex(({ rows }) => {
    events += rows.uuids.length;
    bytes += rows.bytes.length;
    return events > GROUP_EVENTS || bytes > GROUP_BYTES;
  });
  return end < 0 ? queue.length : Math.max(end, 1);
}
