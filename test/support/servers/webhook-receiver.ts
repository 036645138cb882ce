/** A server that accepts and records webhooks. */
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { startHttpServer } from '../../../src/platform/http/server.ts';

export type ReceivedWebhook = { path: string; headers: IncomingHttpHeaders; body: string };

export type WebhookReceiver = {
  url: string;
  received: ReceivedWebhook[];
  /** Statuses of the next answers, in turn; 204 when the list is empty. `silence`: no answer. */
  answers: (number | 'silence')[];
  /** Number of requests without a 2xx answer. */
  refused: number;
  stop(): Promise<void>;
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const answers: WebhookReceiver['answers'] = [];
  const receiver: WebhookReceiver = { url: '', received, answers, refused: 0, stop: async () => {} };
  const server = await startHttpServer(
    {
      async listener(request, response) {
        received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
        const answer = answers.shift() ?? 204;
        if (answer === 'silence' || answer >= 300) receiver.refused += 1;
        if (answer !== 'silence') response.writeHead(answer, { location: '/elsewhere' }).end();
      },
    },
    { host: '127.0.0.1', port: 0 },
  );
  return Object.assign(receiver, { url: server.url, stop: () => server.stop(0) });
}
