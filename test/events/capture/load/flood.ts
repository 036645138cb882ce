/** A process that sends batches of one project as fast as they are answered; told to stop, it says how long they took. */
import { setTimeout as sleep } from 'node:timers/promises';
import { batchOf, createSender, type Answered } from './sending.ts';

export type FloodOptions = { url: string; token: string; connections: number; events: number };

async function flood({ url, token, connections, events }: FloodOptions, answered: Answered[]): Promise<void> {
  const send = createSender(url);
  const body = batchOf(token, events);
  async function client(): Promise<never> {
    for (;;) {
      const answer = await send(body);
      answered.push(answer);
      if (answered.length === connections) process.send?.('it has begun');
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
