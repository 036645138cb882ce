/**
 * Event streams for bulk evaluation (OFREP's ADR-0008): listeners are notified when a project's definitions change, and evaluate again.
 * An event's id is the version of the definitions, so a listener that reconnects gets an event only if it missed a change.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotAuthenticated, Throttled, Unavailable } from '../../platform/errors.ts';
import { entityTag } from '../../platform/http/parameters/preconditions.ts';
import { queryOf } from '../../platform/wire/fields.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { ProjectFlags } from '../definitions/project-flags.ts';
import type { StreamTokens } from './stream-tokens.ts';

export const EVENT_STREAM_PATH = '/ofrep/v1/event-stream';

const MAX_STREAMS = 1_000;
const FULL_RETRY_SECONDS = 60;
/** Interval of heartbeats, because proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 25_000;
/** Changes within this time are sent as one event. */
const COLLECT_MS = 50;
/** Unread bytes beyond which a listener is disconnected. */
const MAX_UNREAD_BYTES = 16_384;
/** Bounds of a random delay before listeners reconnect, so those of a stopped process do not all reconnect at once. */
const RECONNECT_MS = { min: 1_000, max: 5_000 };
/** Seconds in the background after which providers close their stream. */
const INACTIVITY_SECONDS = 120;

/** A stream in the answer to a bulk evaluation. */
export type EventStream = { type: 'sse'; url: string; inactivityDelaySec: number };

export type EventStreams = {
  /** Creates the URL of a stream of changes after this version of the project; it is valid for this period and the next one. */
  createStreamUrl(project: Pick<ProjectFlags, 'projectId' | 'version'>): { stream: EventStream; period: string };
  /**
   * Answers with a stream, which then stays open.
   * @throws NotAuthenticated, Throttled, Unavailable before the answer begins
   */
  open(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends all streams and opens no more. */
  close(): void;
};

type Options = {
  definitions: Pick<LiveDefinitions, 'findById' | 'onChange'>;
  tokens: StreamTokens;
  publicUrl: string;
  /** Limit for one project, in this process. */
  maxStreams?: number;
};

type Listener = { response: ServerResponse; version: string };

export function createEventStreams(options: Options): EventStreams {
  const { definitions, tokens, publicUrl, maxStreams = MAX_STREAMS } = options;
  const address = new URL(publicUrl);
  address.pathname = address.pathname.replace(/\/$/, '') + EVENT_STREAM_PATH;
  const listeners = new Map<number, Set<Listener>>();
  const collecting = new Set<number>();
  let closed = false;

  function add(projectId: number, listener: Listener): void {
    const others = listeners.get(projectId) ?? new Set();
    listeners.set(projectId, others.add(listener));
    listener.response.once('close', () => {
      others.delete(listener);
      if (others.size === 0) listeners.delete(projectId);
    });
  }

  function notifyLater(projectId: number): void {
    if (collecting.has(projectId) || !listeners.has(projectId)) return;
    collecting.add(projectId);
    setTimeout(() => {
      collecting.delete(projectId);
      void notify(projectId);
    }, COLLECT_MS);
  }

  async function notify(projectId: number): Promise<void> {
    // While Postgres is away nothing is sent; the definitions notify again once they have been read.
    const project = await findProject(projectId).catch(() => 'unavailable' as const);
    if (project === 'unavailable') return;
    for (const listener of listeners.get(projectId) ?? []) {
      if (!project) listener.response.end();
      else if (listener.version !== project.version) write(listener.response, eventOf(project.version));
      listener.version = project?.version ?? '';
    }
  }

  /** Sends heartbeats, and keeps these projects cached, because lost notifications are only noticed for cached projects. */
  function sendHeartbeats(): void {
    for (const [projectId, listenersOfProject] of listeners) {
      void findProject(projectId).catch(() => undefined);
      for (const { response } of listenersOfProject) write(response, ':\n\n');
    }
  }

  async function findProject(projectId: number): Promise<ProjectFlags | undefined> {
    return definitions.findById(projectId);
  }

  const heartbeat = setInterval(sendHeartbeats, HEARTBEAT_MS);
  heartbeat.unref();
  const unsubscribe = definitions.onChange(notifyLater);

  return {
    createStreamUrl({ projectId, version }) {
      const url = new URL(address);
      url.searchParams.set('token', tokens.issue(projectId));
      url.searchParams.set('since', version);
      const stream = { type: 'sse' as const, url: url.href, inactivityDelaySec: INACTIVITY_SECONDS };
      return { stream, period: String(tokens.period()) };
    },

    async open(request, response) {
      const query = queryOf(request.url ?? '');
      const projectId = tokens.read(query('token') ?? '');
      const project = projectId === undefined ? undefined : await findProject(projectId);
      if (!project) throw new NotAuthenticated('The token is not valid any more: evaluate the flags again.');
      if (closed) throw new Unavailable('The server is stopping.', 1);
      if ((listeners.get(project.projectId)?.size ?? 0) >= maxStreams) throw new Throttled(FULL_RETRY_SECONDS);
      if (request.socket.destroyed) return;
      const { version } = project;
      const lastSeen = request.headers['last-event-id'] ?? query('since');
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store, no-transform',
        // Nginx would buffer events otherwise.
        'X-Accel-Buffering': 'no',
      });
      add(project.projectId, { response, version });
      // An event without data does not reach the page, but sets the id that the client sends back as `Last-Event-ID`.
      response.write(`retry: ${retryMs()}\nid: ${version}\n\n${lastSeen === version ? '' : eventOf(version)}`);
    },

    close() {
      closed = true;
      clearInterval(heartbeat);
      unsubscribe();
      for (const listenersOfProject of listeners.values())
        for (const { response } of listenersOfProject) response.end();
    },
  };
}

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  else response.write(text);
}

function eventOf(version: string): string {
  const lastModified = Math.floor(Date.now() / 1000);
  return `id: ${version}\ndata: ${JSON.stringify({ type: 'refetchEvaluation', etag: entityTag(version), lastModified })}\n\n`;
}

function retryMs(): number {
  return Math.round(RECONNECT_MS.min + Math.random() * (RECONNECT_MS.max - RECONNECT_MS.min));
}
