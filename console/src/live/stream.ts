/** The connection to `/live/`. Browsers reconnect after a break, but give up after a refusal; this file then retries. */
import type { Change, Changes } from './changes.ts';

type Handlers = {
  onState(isUp: boolean): void;
  /** @param id of the event; absent when the stream begins without a last id */
  onChanges(changes: Changes, id?: string): void;
};

const RETRY_MS = { least: 5_000, most: 60_000 };

/** @param seen ID of the last event that any page of this browser received @returns a function that closes the stream */
export function openStream(projectId: number, seen: string | undefined, { onState, onChanges }: Handlers): () => void {
  let lastId = seen;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = RETRY_MS.least;

  function receive(changes: Changes, { lastEventId }: MessageEvent<string>): void {
    lastId = lastEventId;
    onChanges(changes, lastEventId);
  }

  function connect(): void {
    const query = lastId === undefined ? '' : `?last_event_id=${encodeURIComponent(lastId)}`;
    const opened = new EventSource(`/api/projects/${projectId}/live/${query}`);
    source = opened;
    let isFirst = lastId === undefined;
    opened.addEventListener('open', () => {
      waitMs = RETRY_MS.least;
      // Changes between the pages' requests and this connection are not sent.
      if (isFirst) onChanges('all');
      isFirst = false;
      onState(true);
    });
    opened.addEventListener('message', (event: MessageEvent<string>) =>
      receive([JSON.parse(event.data) as Change], event),
    );
    opened.addEventListener('reset', (event: MessageEvent<string>) => receive('all', event));
    opened.addEventListener('error', () => {
      onState(false);
      if (opened.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(connect, waitMs);
      waitMs = Math.min(2 * waitMs, RETRY_MS.most);
    });
  }

  connect();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
