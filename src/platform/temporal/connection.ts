/** A client of Temporal for the API and for activities. Connects lazily: the service starts while Temporal is still away. */
import { Client, Connection } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { Unavailable } from '../errors.ts';
import { dataConverter } from './payload-codec.ts';

/** `codec`: encrypts stored payloads; all clients and workers of the same workflows need the same one. */
export type TemporalOptions = { address: string; namespace: string; codec?: PayloadCodec | undefined };
export type TemporalClient = { client: Client; close(): Promise<void> };

/** Longest wait of an API request for Temporal, before the client is told to retry. */
const DEADLINE_MS = 5_000;

export function connectTemporal({ address, namespace, codec }: TemporalOptions): TemporalClient {
  const connection = Connection.lazy({ address });
  return {
    client: new Client({ connection, namespace, dataConverter: dataConverter(codec) }),
    close: () => connection.close(),
  };
}

/**
 * Checks that Temporal is reachable, before work begins that needs it to finish.
 * @throws Unavailable
 */
export async function ensureReachable(client: Client): Promise<void> {
  await withDeadline(client, () => client.workflowService.describeNamespace({ namespace: client.options.namespace }));
}

/**
 * Runs calls to Temporal with a deadline.
 * @throws Unavailable when Temporal does not answer; other errors pass
 */
export async function withDeadline<T>(client: Client, call: () => Promise<T>): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + DEADLINE_MS, call);
  } catch (error) {
    if (isUnreachable(error))
      throw new Unavailable('The workflow service is not reachable right now.', 5, { cause: error });
    throw error;
  }
}

/** gRPC's UNAVAILABLE, DEADLINE_EXCEEDED and CANCELLED (a closed connection), wherever the SDK put them. */
const UNREACHABLE = new Set([14, 4, 1]);

function isUnreachable(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (UNREACHABLE.has((cause as { code?: number }).code ?? -1)) return true;
  }
  return false;
}
