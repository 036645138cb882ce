/** Streams of events to callers who follow exports: decides which events each receives, until when, and how many bytes are buffered. */
import { Readable } from 'node:stream';
import { NotAuthenticated, NotFound, PermissionDenied, Throttled, Unavailable } from '../../platform/errors.ts';
import { isVisible } from '../../people/access/visible.ts';
import type { Caller, Rights, Visible } from '../../platform/http/access.ts';
import type { LiveEvent } from './history.ts';
import { COMMENT, eventText, openingText, resetText } from './wire.ts';

export type LiveLimits = {
  /** Limits of open streams of a caller, of a project and in this process. */
  perCaller: number;
  perProject: number;
  perProcess: number;
  /** `Retry-After` of a refused stream. */
  retrySeconds: number;
  /** Limit of bytes that are buffered for a client that does not read; more than that ends the stream. */
  unreadBytes: number;
  /** Limit of missed events that are sent to a caller who reconnects; if there are more, a reset is sent instead. */
  missedEvents: number;
  heartbeatMs: number;
  /** How often access is checked; nothing is sent to a caller whose last check is older than `maxCheckAgeMs`. */
  recheckEveryMs: number;
  maxCheckAgeMs: number;
};

export type Opening = {
  projectId: number;
  caller: Caller;
  rights: Rights;
  /** @throws NotAuthenticated, PermissionDenied, NotFound when the caller may not listen any more */
  recheckAccess(): Promise<Rights>;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
};

type Listener = Pick<Opening, 'projectId' | 'recheckAccess'> & {
  body: Readable;
  caller: string;
  userId: number | null;
  /** Exports that the caller may see. */
  visible: Visible;
  checkedAtMs: number;
  /** Whether an event was withheld while the caller's access was not known. */
  hasMissedEvents: boolean;
  /** An ended stream counts towards the limits until its client has read the rest. */
  isEnded: boolean;
};

export type LiveStreams = {
  /**
   * @param missed events since the last one that the caller received; undefined if they are not known
   * @param latestId ID of the last of all events so far
   * @throws Throttled, Unavailable
   */
  open(options: Opening, missed: readonly LiveEvent[] | undefined, latestId: string): Readable;
  publish(events: readonly LiveEvent[]): void;
  /** Checks the access of a user's streams next, because a part of it has ended. Several such requests share a check. */
  recheck(userId: number): void;
  /** Sends a reset to all callers. */
  reset(latestId: string): void;
  /** Ends all streams; none is opened any more. */
  close(): void;
};

/** Number of streams checked at once, because the checks share the database's connections with requests. */
const CHECKED_AT_ONCE = 4;

export function createLiveStreams(limits: LiveLimits, latestIdNow: () => string): LiveStreams {
  const listeners = new Map<number, Set<Listener>>();
  let open = 0;
  let closed = false;
  /** Listeners to check, those of ended access first. */
  const waiting = new Set<Listener>();
  let checking = 0;

  function allListeners(): Listener[] {
    return [...listeners.values()].flatMap((projectListeners) => [...projectListeners]);
  }

  function addListener(listener: Listener): void {
    const projectListeners = listeners.get(listener.projectId) ?? new Set();
    listeners.set(listener.projectId, projectListeners.add(listener));
    open += 1;
    listener.body.once('close', () => {
      if (!projectListeners.delete(listener)) return;
      open -= 1;
      if (projectListeners.size === 0 && listeners.get(listener.projectId) === projectListeners)
        listeners.delete(listener.projectId);
    });
  }

  function ensureCapacity(projectId: number, caller: string): void {
    if (closed) throw new Unavailable('The server is stopping.', 1);
    if (open >= limits.perProcess) throw new Unavailable('Too many streams are open.', limits.retrySeconds);
    const projectListeners = [...(listeners.get(projectId) ?? [])];
    const callerListeners = allListeners().filter((listener) => listener.caller === caller);
    if (projectListeners.length >= limits.perProject || callerListeners.length >= limits.perCaller) {
      throw new Throttled(limits.retrySeconds);
    }
  }

  function isChecked({ checkedAtMs }: Listener): boolean {
    return performance.now() - checkedAtMs < limits.maxCheckAgeMs;
  }

  function write({ body, isEnded }: Listener, text: string): void {
    if (isEnded) return;
    // tooth: live-unread
    if (body.readableLength > limits.unreadBytes) return void body.destroy();
    body.push(text);
  }

  function sendHeartbeats(): void {
    for (const listener of allListeners()) {
      if (listener.isEnded) listener.body.destroy();
      else write(listener, COMMENT);
    }
  }

  function receives({ visible }: Listener, { change }: LiveEvent): boolean {
    // tooth: live-visible
    return change === null || isVisible(visible, { id: change.exportId, createdBy: change.createdBy });
  }

  async function check(listener: Listener): Promise<void> {
    const startedAtMs = performance.now();
    try {
      listener.visible = visibleTo(await listener.recheckAccess());
    } catch (error) {
      // tooth: live-ends-with-access
      if (isRefusal(error)) endStream(listener);
      // Anything else is an outage: nothing is sent until a check succeeds.
      return;
    }
    listener.checkedAtMs = startedAtMs;
    if (listener.hasMissedEvents) write(listener, resetText(latestIdNow()));
    listener.hasMissedEvents = false;
  }

  /** Checks what waits, at most `CHECKED_AT_ONCE` listeners at once, however often it is called. */
  function checkWaiting(): void {
    for (const listener of waiting) {
      if (checking >= CHECKED_AT_ONCE) return;
      waiting.delete(listener);
      if (listener.isEnded) continue;
      checking += 1;
      void check(listener).then(() => {
        checking -= 1;
        checkWaiting();
      });
    }
  }

  function checkAll(): void {
    for (const listener of allListeners()) waiting.add(listener);
    checkWaiting();
  }

  function checkFirst(listening: readonly Listener[]): void {
    const others = [...waiting].filter((listener) => !listening.includes(listener));
    waiting.clear();
    for (const listener of [...listening, ...others]) waiting.add(listener);
    checkWaiting();
  }

  const heartbeat = setInterval(sendHeartbeats, limits.heartbeatMs);
  const checks = setInterval(checkAll, limits.recheckEveryMs);
  heartbeat.unref();
  checks.unref();

  return {
    open({ projectId, caller, rights, recheckAccess, signal }, missed, latestId) {
      const name = callerName(caller);
      ensureCapacity(projectId, name);
      signal.throwIfAborted();
      const body = new Readable({ read() {} });
      const listener: Listener = {
        projectId,
        caller: name,
        userId: caller.userId,
        visible: visibleTo(rights),
        recheckAccess,
        body,
        checkedAtMs: performance.now(),
        hasMissedEvents: false,
        isEnded: false,
      };
      addListener(listener);
      signal.addEventListener('abort', () => body.destroy());
      const missedEvents = missed?.filter((event) => receives(listener, event));
      const isKnown = missedEvents && missedEvents.length <= limits.missedEvents;
      body.push(openingText(latestId) + (isKnown ? missedEvents.map(eventText).join('') : resetText(latestId)));
      return body;
    },

    publish(events) {
      for (const [projectId, projectListeners] of listeners) {
        const projectEvents = events.filter((event) => event.projectId === projectId);
        for (const listener of projectEvents.length > 0 ? projectListeners : []) {
          const received = projectEvents.filter((event) => receives(listener, event));
          if (received.length === 0) continue;
          // tooth: live-checked
          if (!isChecked(listener)) listener.hasMissedEvents = true;
          else write(listener, received.map(eventText).join(''));
        }
      }
    },

    recheck(userId) {
      checkFirst(allListeners().filter((listener) => listener.userId === userId));
    },

    reset(latestId) {
      for (const listener of allListeners()) {
        if (isChecked(listener)) write(listener, resetText(latestId));
        else listener.hasMissedEvents = true;
      }
    },

    close() {
      closed = true;
      clearInterval(heartbeat);
      clearInterval(checks);
      waiting.clear();
      allListeners().forEach(endStream);
    },
  };
}

function endStream(listener: Listener): void {
  if (listener.isEnded) return;
  listener.isEnded = true;
  listener.body.push(null);
}

function visibleTo(rights: Rights): Visible {
  return rights.visible('batch_export');
}

function isRefusal(error: unknown): boolean {
  return error instanceof NotAuthenticated || error instanceof PermissionDenied || error instanceof NotFound;
}

/** Counts all sessions of a person as one caller, and each key as a caller of its own. */
function callerName({ keyId, userId }: Caller): string {
  return keyId === null ? `user ${userId}` : `key ${keyId}`;
}
