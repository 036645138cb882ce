/** A small EventSource that records everything it receives, including comments. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A comment has no field but `atMs`, its time of arrival. */
export type ReceivedEvent = {
  id?: string;
  event?: string;
  data?: Record<string, unknown> | undefined;
  retry?: string;
  atMs: number;
};

export type EventSource = {
  status: number;
  headers: Headers;
  /** Body of an answer that is not a stream. */
  body(): Promise<unknown>;
  received: ReceivedEvent[];
  /** Waits until `count` events were received in all, but for at most a minute. @returns all that were received */
  next(count: number): Promise<ReceivedEvent[]>;
  /** Resolves when the stream has ended, also by a loss of the connection; rejects after an unreadable event, and after a minute. */
  waitForEnd(): Promise<void>;
  stop(): void;
};

const PATIENCE_MS = 60_000;

export async function openEventSource(url: string, headers: Record<string, string> = {}): Promise<EventSource> {
  const control = new AbortController();
  const answer = await fetch(url, { headers, signal: control.signal });
  const received: ReceivedEvent[] = [];
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  const stream = { hasEnded: false, unreadable: undefined as SyntaxError | undefined };
  async function read(): Promise<void> {
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      received.push(...blocks.map(eventOf));
    }
  }
  if (isStream) {
    void read()
      .catch((error: unknown) => {
        if (error instanceof SyntaxError) stream.unreadable = error;
      })
      .finally(() => (stream.hasEnded = true));
  }
  return {
    status: answer.status,
    headers: answer.headers,
    body: () => answer.json(),
    received,
    async next(count) {
      const deadline = Date.now() + PATIENCE_MS;
      while (received.length < count && Date.now() < deadline) await sleep(5);
      return received;
    },
    async waitForEnd() {
      const deadline = Date.now() + PATIENCE_MS;
      while (!stream.hasEnded && Date.now() < deadline) await sleep(5);
      if (stream.unreadable) throw stream.unreadable;
      if (!stream.hasEnded) throw new Error('the stream goes on');
    },
    stop: () => control.abort(),
  };
}

function eventOf(block: string): ReceivedEvent {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  const { data, ...rest } = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2))) as { data?: string };
  return { ...rest, ...(data !== undefined && { data: JSON.parse(data) as ReceivedEvent['data'] }), atMs: Date.now() };
}
