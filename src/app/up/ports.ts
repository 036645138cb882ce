/** Ports of `sluice up`, checked before anything that takes time. */
import type { Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { freePort, findListenFault } from '../../platform/processes/port.ts';

const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

/** @throws CommandFailed when nothing can listen on the API's address */
export async function apiPort({ SLUICE_PORT: port, SLUICE_HOST: host }: Config): Promise<number> {
  if (port === 0) return freePort();
  const fault = await findListenFault(port, host);
  if (fault === undefined) return port;
  throw new CommandFailed(
    fault === 'EADDRINUSE'
      ? `Port ${port} on ${host} is taken, and the API needs it. Stop what listens there, or set SLUICE_PORT to another port.`
      : `The API cannot listen on port ${port} of ${host} (${fault}). Set SLUICE_HOST to an address of this machine, and SLUICE_PORT to a port ` +
          'that this account may open.',
  );
}

type Listener = { name: string; host: string; port: number | undefined };

/** @throws CommandFailed when two of our servers are to listen on the same port, which looks free until the first of them has it */
export function checkPortsDiffer(config: Config): void {
  const configuredPort = (name: 'SLUICE_POSTGRES_PORT' | 'SLUICE_TEMPORAL_PORT' | 'SLUICE_TEMPORAL_UI_PORT') => {
    return { name, host: '127.0.0.1', port: config[name] };
  };
  const listeners: Listener[] = [
    { name: 'SLUICE_PORT', host: config.SLUICE_HOST, port: config.SLUICE_PORT },
    ...(config.DATABASE_URL ? [] : [configuredPort('SLUICE_POSTGRES_PORT')]),
    ...(config.TEMPORAL_ADDRESS
      ? []
      : [configuredPort('SLUICE_TEMPORAL_PORT'), configuredPort('SLUICE_TEMPORAL_UI_PORT')]),
    { name: 'SLUICE_METRICS_PORT', host: config.SLUICE_METRICS_HOST, port: config.SLUICE_METRICS_PORT },
    { name: 'SLUICE_WORKER_METRICS_PORT', host: config.SLUICE_METRICS_HOST, port: config.SLUICE_WORKER_METRICS_PORT },
  ];
  for (const [index, listener] of listeners.entries()) {
    const earlierListener = listeners.slice(0, index).find((earlier) => collide(earlier, listener));
    if (!earlierListener) continue;
    throw new CommandFailed(
      `${earlierListener.name} and ${listener.name} are both ${listener.port}. Give each a port of its own.`,
    );
  }
}

function collide(a: Listener, b: Listener): boolean {
  if (!a.port || a.port !== b.port) return false;
  return a.host === b.host || [a.host, b.host].some((host) => ANY_ADDRESS.has(host));
}
