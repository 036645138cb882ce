/** Text of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { LiveEvent } from './history.ts';

export const COMMENT = ':\n\n';

/** Reconnection delays, spread so that the clients of a process that stops do not all return at once. */
const RECONNECT_MS = { min: 1_000, max: 5_000 };

/** Opens a stream with an ID but no data: browsers dispatch no event for it, but remember the ID for `Last-Event-ID`. */
export function openingText(latestId: string): string {
  const retryMs = Math.round(RECONNECT_MS.min + Math.random() * (RECONNECT_MS.max - RECONNECT_MS.min));
  return `retry: ${retryMs}\nid: ${latestId}\n\n`;
}

export function resetText(id: string): string {
  return textOf({ event: 'reset', id, data: { at: new Date().toISOString() } });
}

export function eventText({ id, at, change }: LiveEvent): string {
  if (change === null) return textOf({ event: 'reset', id, data: { at } });
  const { kind, exportId: export_id, runId, start, end } = change;
  const run = runId !== null && { run_id: runId };
  return textOf({
    id,
    data: { kind, export_id, ...run, ...(start !== null && { start }), ...(end !== null && { end }), at },
  });
}

function textOf({ event, id, data }: { event?: string; id: string; data: object }): string {
  return `${event === undefined ? '' : `event: ${event}\n`}id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
