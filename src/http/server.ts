/** A listening HTTP server that can be stopped without dropping a request. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandFailed } from '../errors.ts';

/** How long requests are still taken, and told to close their connection, after the stop was asked for. */
const NOTICE_MS = 250;

export type HttpServer = {
  /** Where it listens, without a slash at the end. */
  url: string;
  port: number;
  /**
   * Answers `Connection: close` from now on, soon takes no more connections, waits for requests under way.
   * @param graceMs after this the connections that are left are cut
   */
  stop(graceMs: number): Promise<void>;
};

/**
 * @param port 0 takes any free one
 * @throws CommandFailed when it cannot listen there
 */
export async function startHttpServer(
  listener: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<HttpServer> {
  let draining = false;
  const server = createServer((request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    listener(request, response);
  });
  await listen(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    async stop(graceMs) {
      draining = true;
      await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
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
