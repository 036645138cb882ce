/** A listening HTTP server that can be stopped without dropping a request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandFailed } from '../errors.ts';
import { laneConnections, type LaneConnections } from '../lane/connections.ts';
import type { Lane } from '../lane/request.ts';

/** Time after a stop request in which requests are still accepted, with the answer to close their connection. */
const NOTICE_MS = 250;
const IDLE_CHECK_MS = 50;

/** Requests that take longer to arrive are answered 408 and cut: silent and slow senders must not hold connections. */
const ARRIVAL_TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };

export type HttpServer = {
  /** Address of the server, without a trailing slash. */
  url: string;
  port: number;
  /**
   * Answers `Connection: close` from now on, soon takes no more connections, waits for requests under way.
   * @param graceMs time after which remaining connections are cut
   */
  stop(graceMs: number): Promise<void>;
};

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Application that a server can run. */
export type Application = {
  /** Answers every request and never rejects. */
  listener: Listener;
  /** Answers some of these requests in the same way, also on their connection: the fast path. */
  lane?: Lane | undefined;
};

export type ServerOptions = {
  host: string;
  /** 0 takes any free one. */
  port: number;
  /** Milliseconds. */
  arrival?: typeof ARRIVAL_TIMEOUTS;
  /** Whether the application's lane is asked before `node:http` reads a request; it is, unless this is false. */
  fastPath?: boolean | undefined;
};

/** @throws CommandFailed when it cannot listen there */
export async function startHttpServer(
  { listener, lane }: Application,
  { host, port, arrival = ARRIVAL_TIMEOUTS, fastPath = true }: ServerOptions,
): Promise<HttpServer> {
  let isDraining = false;
  const server = createServer(arrival, (request, response) => {
    if (isDraining) response.setHeader('Connection', 'close');
    void listener(request, response);
  });
  const connections = lane && fastPath ? putInFront(lane, server) : undefined;
  await listen(server, host, port);
  const boundPort = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    port: boundPort,
    async stop(graceMs) {
      isDraining = true;
      connections?.drain();
      await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
      const closed = new Promise((resolve) => server.close(resolve));
      // A connection whose request was answered without the notice would stay until its keep-alive ends.
      const idle = setInterval(() => {
        connections?.closeIdle();
        server.closeIdleConnections();
      }, IDLE_CHECK_MS);
      const grace = setTimeout(() => {
        connections?.closeAll();
        server.closeAllConnections();
      }, graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(grace);
    },
  };
}

/** Connections may be handed to the listeners of `node:http` at any time: https://nodejs.org/api/http.html#event-connection */
function putInFront(lane: Lane, server: Server): LaneConnections {
  const listeners = server.listeners('connection');
  const connections = laneConnections(lane, (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  });
  server.removeAllListeners('connection').on('connection', connections.accept);
  return connections;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'it is taken' : (error.code ?? error.message);
      reject(
        new CommandFailed(
          `Cannot listen on port ${port} of ${host}: ${reason}. Stop what listens there, or set SLUICE_PORT (and SLUICE_HOST).`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
}
