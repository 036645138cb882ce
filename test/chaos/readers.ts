/** Readers who follow the documented rule all the time, beside deliveries and re-deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Fleet } from './fleet.ts';
import { readInterval, type Store } from './objects.ts';

const PAUSE_MS = 200;

export type Readers = {
  counts: { intervals: number; rows: number; tornStable: number };
  /** Torn manifests that a reader of the layout `versioned` found: there should be none. */
  torn: string[];
  stop(): Promise<void>;
};

/** The object store may be away just now: its client says so. */
function ignoreOutage(error: unknown): void {
  const { name = '', code = '', $metadata } = error as { name?: string; code?: string; $metadata?: object };
  if ($metadata || /^E[A-Z]+$/.test(code) || name === 'TimeoutError') return;
  throw error;
}

export function startReaders(
  fleet: Fleet,
  stores: Record<'LocalFile' | 'S3Compatible', Store>,
  random: Random,
  count: number,
): Readers {
  const counts = { intervals: 0, rows: 0, tornStable: 0 };
  const torn: string[] = [];
  const stopping = new AbortController();

  async function readOnce(): Promise<void> {
    const member = random.pick(fleet.members);
    const { type } = member.place;
    if (type === 'Postgres') return;
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
