/** Batches over connections that are kept, and how long their answers took. */
import { Agent, request } from 'node:http';

export type Answered = { status: number; ms: number };

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
