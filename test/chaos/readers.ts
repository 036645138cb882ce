/** Readers who follow the documented rule, or any snapshot of a table, all the time, beside deliveries and re-deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ancestors } from '../../src/exports/destinations/iceberg/present.ts';
import { DestinationUnavailable } from '../../src/platform/errors.ts';
import type { Random } from '../support/random.ts';
import { isFileType, type Fleet, type Place } from './fleet.ts';
import type { Lake } from './lake.ts';
import { readInterval, type Stores } from './objects.ts';

const PAUSE_MS = 200;

export type Readers = {
  counts: { intervals: number; rows: number; snapshots: number; tornStable: number };
  /** Torn manifests that a reader of the layout `versioned` found, and torn snapshots: there should be none. */
  torn: string[];
  stop(): Promise<void>;
};

type Outage = { name?: string; code?: string; cause?: { code?: string }; $metadata?: object };

/** The store may be away just now: its client says so. */
function ignoreOutage(error: unknown): void {
  const { name = '', code = '', cause, $metadata } = error as Outage;
  if (
    $metadata ||
    /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(cause?.code ?? code) ||
    name === 'TimeoutError' ||
    error instanceof DestinationUnavailable
  )
    return;
  throw error;
}

export function startReaders(
  fleet: Fleet,
  stores: Stores,
  lake: Lake | undefined,
  random: Random,
  count: number,
): Readers {
  const counts = { intervals: 0, rows: 0, snapshots: 0, tornStable: 0 };
  const torn: string[] = [];
  const stopping = new AbortController();

  async function readSnapshot({ tableAt, problemsIn }: Lake, place: Place): Promise<void> {
    const table = await tableAt(place);
    const line = table ? [...ancestors(table)] : [];
    if (line.length === 0) return;
    const picked = random.pick(line);
    torn.push(...(await problemsIn(place, line, (snapshot) => snapshot === picked)).flat());
    counts.snapshots += 1;
  }

  async function readOnce(): Promise<void> {
    const member = random.pick(fleet.members);
    const { type } = member.place;
    if (type === 'Iceberg') return readSnapshot(lake!, member.place);
    if (!isFileType(type)) return;
    const store = stores[type];
    const keys = await store.manifests(member.place);
    if (keys.length === 0) return;
    const read = await readInterval(store, random.pick(keys));
    if (!read) return;
    counts.intervals += 1;
    counts.rows += read.rows.length;
    if (read.problems.length === 0) return;
    const owner = fleet.members.find(({ id }) => id === read.manifest?.batch_export);
    if (owner?.wasStable) counts.tornStable += 1;
    else torn.push(...read.problems);
  }

  async function reader(): Promise<void> {
    while (!stopping.signal.aborted) {
      await readOnce().catch(ignoreOutage);
      await sleep(PAUSE_MS);
    }
  }

  const reading = Array.from({ length: count }, () => reader());
  return {
    counts,
    torn,
    async stop() {
      stopping.abort();
      await Promise.all(reading);
    },
  };
}
