/**
 * Streams changes of exports as they happen. An event says that something changed, not its new state: clients read that by the other
 * routes, which check their access.
 */
import type { Readable } from 'node:stream';
import { listen, type Listener } from '../../platform/db/listener.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { changeOf, endedAccessOf } from './changes.ts';
import { createBatcher, type ChangeBatch } from './batching.ts';
import { createHistory } from './history.ts';
import { createLiveStreams, type LiveLimits, type Opening } from './streams.ts';

const CHANNEL = 'sluice_export_changes';
const KEPT_EVENTS = 10_000;
const WINDOW_MS = 250;
/** Limit of changes of a project in one window. */
const MAX_CHANGES = 100;

export const LIMITS: LiveLimits = {
  perCaller: 10,
  perProject: 250,
  perProcess: 1_000,
  retrySeconds: 10,
  unreadBytes: 65_536,
  missedEvents: 200,
  heartbeatMs: 15_000,
  recheckEveryMs: 10_000,
  maxCheckAgeMs: 15_000,
};

export type Live = {
  /**
   * @param lastEventId ID of the last event that the caller received; undefined for a first connection
   * @throws Throttled, Unavailable
   */
  open(listener: Opening, lastEventId: string | undefined): Readable;
  /** Ends all streams; none is opened any more. */
  drain(): void;
  close(): Promise<void>;
};

export type LiveOptions = {
  databaseUrl: string;
  log: Logger;
  streamLimits?: Partial<LiveLimits>;
  windowMs?: number;
  keptEvents?: number;
};

/** Connects to the database with the first stream, which then gets a reset. */
export function createLive(options: LiveOptions): Live {
  const { databaseUrl, log, streamLimits, windowMs = WINDOW_MS, keptEvents = KEPT_EVENTS } = options;
  const history = createHistory(keptEvents);
  const streams = createLiveStreams({ ...LIMITS, ...streamLimits }, history.latestId);
  const batcher = createBatcher({ windowMs, maxChanges: MAX_CHANGES, publish });

  function publish(batches: readonly ChangeBatch[]): void {
    const events = batches.flatMap(({ projectId, changes }) =>
      changes === 'too many' ? [history.add(projectId, null)] : changes.map((change) => history.add(projectId, change)),
    );
    streams.publish(events);
  }

  let listener: Listener | undefined;
  const connect = () =>
    listen({
      url: databaseUrl,
      channel: CHANNEL,
      onNotification(payload) {
        const change = changeOf(payload);
        if (change) batcher.add(change);
        const userId = endedAccessOf(payload);
        if (userId !== undefined) streams.recheck(userId);
      },
      onListening() {
        // Notifications that were sent before the connection listened are lost.
        batcher.clear();
        history.restart();
        streams.reset(history.latestId());
      },
      log,
    });

  return {
    open(listenerOptions, lastEventId) {
      const missed = lastEventId === undefined ? [] : history.eventsSince(lastEventId, listenerOptions.projectId);
      const stream = streams.open(listenerOptions, missed, history.latestId());
      listener ??= connect();
      return stream;
    },
    drain: streams.close,
    async close() {
      streams.close();
      batcher.clear();
      await listener?.close();
    },
  };
}
