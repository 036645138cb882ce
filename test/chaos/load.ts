/** Clients that capture events through both APIs, and repeat each request under the same uuids until it is taken. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';

export type Load = {
  /** uuids of events whose request was answered with 200. */
  acknowledged: Set<string>;
  /** Events sent under any name, acknowledged or not. */
  sent: Set<string>;
  /** Sends history: events that happened within the hour before `end`. */
  importHistory(name: string, end: Date, count: number): Promise<void>;
  stop(): Promise<void>;
};

export type LoadOptions = {
  urls: readonly string[];
  token: string;
  random: Random;
  /** Names of events, each of which belongs to one export. */
  names: () => readonly string[];
};

const CLIENTS = 4;
const PAUSE_MS = 120;

export function startLoad({ urls, token, random, names }: LoadOptions): Load {
  const acknowledged = new Set<string>();
  const sent = new Set<string>();
  const stopping = new AbortController();
  let firstUrl = 0;

  async function send(batch: { uuid: string }[], historical: boolean): Promise<void> {
    const uuids = batch.map(({ uuid }) => uuid);
    for (const uuid of uuids) sent.add(uuid);
    const body = JSON.stringify({ api_key: token, batch, ...(historical && { historical_migration: true }) });
    for (let attempt = firstUrl++; !stopping.signal.aborted; attempt++) {
      const status = await fetch(`${urls[attempt % urls.length]}/batch/`, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(15_000),
      }).then(
        async (answer) => {
          await answer.body?.cancel();
          return answer.status;
        },
        () => 0,
      );
      if (status === 200) {
        for (const uuid of uuids) acknowledged.add(uuid);
        return;
      }
      await sleep(100);
    }
  }

  async function client(number: number): Promise<void> {
    while (!stopping.signal.aborted) {
      const batch = Array.from({ length: 1 + random.below(12) }, () => ({
        uuid: randomUUID(),
        event: random.pick(names()),
        distinct_id: `person ${number}-${random.below(20)}`,
        properties: { $set: { seen: random.below(1000) } },
      }));
      await send(batch, false);
      await sleep(PAUSE_MS);
    }
  }

  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  return {
    acknowledged,
    sent,
    async importHistory(name, end, count) {
      const batch = Array.from({ length: count }, (_, index) => ({
        uuid: randomUUID(),
        event: name,
        distinct_id: `past ${index % 7}`,
        timestamp: new Date(end.getTime() - 1 - random.below(3_599_000)).toISOString(),
      }));
      await send(batch, true);
    },
    async stop() {
      stopping.abort();
      await Promise.all(clients);
    },
  };
}
