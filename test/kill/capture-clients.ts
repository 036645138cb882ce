/** Clients of capture that repeat each request, under the same uuids, until it is answered with 200: as SDKs do. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';

/** The clients' knowledge of what should be stored. */
export type Sent = {
  acknowledged: string[];
  /** Requests that were sent, some several times, and never answered with 200. */
  open: string[][];
  /** By distinct id the last number that its person was set to, and that was acknowledged; each client counts up. */
  counters: Map<string, { sent: number; acknowledged: number }>;
  /** How often each answer came; `none` where there was none. */
  answers: Record<string, number>;
};

export type Clients = {
  acknowledged(): number;
  /** Ends the clients where they stand. */
  stop(): Promise<Sent>;
};

const BATCH = 25;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 30;

/** @param url where the server is, whenever it is there */
export function startClients(url: string, token: string, count: number, random: Random): Clients {
  const sent: Sent = { acknowledged: [], open: [], counters: new Map(), answers: {} };
  const stopping = new AbortController();
  const { signal } = stopping;

  async function attempt(body: string): Promise<number | undefined> {
    try {
      const answer = await fetch(`${url}/batch/`, {
        method: 'POST',
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      return undefined;
    }
  }

  async function client(number: number): Promise<void> {
    const distinctId = `client ${number}`;
    const counter = { sent: 0, acknowledged: 0 };
    sent.counters.set(distinctId, counter);
    while (!signal.aborted) {
      const uuids = Array.from({ length: random.next() < 0.3 ? BATCH : 1 }, () => randomUUID());
      const batch = uuids.map((uuid) => {
        counter.sent += 1;
        return { event: 'e', distinct_id: distinctId, uuid, properties: { $set: { counter: counter.sent } } };
      });
      const body = JSON.stringify({ api_key: token, batch });
      let status: number | undefined;
      while (status !== 200 && !signal.aborted) {
        status = await attempt(body);
        const name = status ?? 'none';
        sent.answers[name] = (sent.answers[name] ?? 0) + 1;
        if (status !== 200) await sleep(PAUSE_MS);
      }
      if (status !== 200) {
        sent.open.push(uuids);
        return;
      }
      sent.acknowledged.push(...uuids);
      counter.acknowledged = counter.sent;
    }
  }

  const clients = Array.from({ length: count }, (_, number) => client(number));
  return {
    acknowledged: () => sent.acknowledged.length,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      return sent;
    },
  };
}
