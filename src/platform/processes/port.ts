/** Ports of this machine. */
import { createServer } from 'node:net';

/** Whether the port is free now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await findListenFault(port, host)) === undefined;
}

/** The system's code of why nothing can listen there now (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, …); undefined if something can. */
export function findListenFault(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

/** A port that was free a moment ago, below the range that clients' own ports come from. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (await isPortFree(port)) return port;
  }
}
