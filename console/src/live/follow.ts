/**
 * Shares one connection between all pages of a browser that show a project, because browsers allow six HTTP/1.1 connections per origin. The
 * page that holds the lock connects and tells the others. When it closes, the next page gets the lock, and continues from the last event that
 * it received.
 */
import type { Changes } from './changes.ts';
import { openStream } from './stream.ts';

type ChannelMessage = { isUp?: boolean; changes?: Changes; id?: string } | 'how is it?';

type Handlers = { onState(isUp: boolean): void; onChanges(changes: Changes): void };

/** @returns a function that stops following */
export function follow(projectId: number, { onState, onChanges }: Handlers): () => void {
  // Browsers offer locks only over HTTPS and on localhost; other pages poll.
  if (!('locks' in navigator)) return () => {};
  const name = `sluice-live-${projectId}`;
  const channel = new BroadcastChannel(name);
  const ending = new AbortController();
  let lastId: string | undefined;
  let leaderState: { isUp: boolean } | undefined;

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  const post = (message: ChannelMessage) => channel.postMessage(message);

  function receive({ isUp, changes, id }: Exclude<ChannelMessage, string>): void {
    lastId = id ?? lastId;
    if (isUp !== undefined) onState(isUp);
    if (changes) onChanges(changes);
  }

  function broadcast(message: Exclude<ChannelMessage, string>): void {
    post(message);
    receive(message);
  }

  channel.addEventListener('message', ({ data }: MessageEvent<ChannelMessage>) => {
    if (data !== 'how is it?') receive(data);
    else if (leaderState) post(leaderState);
  });
  post('how is it?');

  async function lead(): Promise<void> {
    leaderState = { isUp: false };
    const close = openStream(projectId, lastId, {
      onState(isUp) {
        leaderState = { isUp };
        broadcast(leaderState);
      },
      onChanges: (changes, id) => broadcast({ changes, ...(id !== undefined && { id }) }),
    });
    await new Promise((resolve) => ending.signal.addEventListener('abort', resolve));
    close();
  }

  navigator.locks.request(name, { signal: ending.signal }, lead).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });

  return () => {
    ending.abort();
    channel.close();
  };
}
