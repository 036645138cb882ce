/** A process that sends batches of one project as fast as they are answered; told to stop, it says how long they took. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type Answered = { status: number; ms: number };
export type FloodOptions = { url: string; token: string; connections: number; events: number };

/** @returns a function that sends a body over connections that are kept, as many as there are calls at once */
export function createSender(url: string): (body: string) => Promise<Answered> {
  const agent = new Agent({ keepAlive: true });
  return (body) =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      const sent = request(`${url}/batch/`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().once('end', () => {
          resolve({ status: answer.statusCode ?? 0, ms: performance.now() - startedAt });
        });
      });
      sent.once('error', reject).end(body);
    });
}

/** Bodies of about a kilobyte for each event. */
export function batchOf(token: string, events: number): string {
  const properties = { $current_url: 'https://app.example.com/', note: 'x'.repeat(850) };
  const batch = Array.from({ length: events }, (_, n) => ({ event: 'e', distinct_id: `person ${n}`, properties }));
  return JSON.stringify({ api_key: token, batch });
}

async function flood({ url, token, connections, events }: FloodOptions, answered: Answered[]): Promise<void> {
  const send = createSender(url);
  const body = batchOf(token, events);
  async function client(): Promise<never> {
    for (;;) {
      const answer = await send(body);
      answered.push(answer);
      if (answer.status !== 200) await sleep(100);
    }
  }
  await Promise.all(Array.from({ length: connections }, client));
}

process.once('message', (options: FloodOptions) => {
  const answered: Answered[] = [];
  void flood(options, answered);
  process.once('message', () => process.send?.(answered, () => process.exit()));
});
