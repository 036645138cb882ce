/** Creates the namespace on a Temporal server that Sluice does not start itself. */
import { ServiceError, type Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { withDeadline } from './connection.ts';

/** `temporal operator namespace create` alone would keep histories for 24 hours. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
/** Codes of gRPC. */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

/**
 * Creates the client's namespace if it is missing; an existing one stays unchanged.
 * @throws Unavailable when Temporal does not answer
 */
export async function ensureNamespace(client: Client): Promise<void> {
  const { namespace } = client.options;
  const workflowExecutionRetentionPeriod = msToTs(RETENTION_MS);
  await withDeadline(client, () =>
    client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod }),
  ).catch((error: unknown) => {
    if (grpcCode(error) !== ALREADY_EXISTS) throw error;
  });
}

/**
 * Whether the client's namespace exists.
 * @throws Unavailable when Temporal does not answer
 */
export async function namespaceExists(client: Client): Promise<boolean> {
  const { namespace } = client.options;
  try {
    await withDeadline(client, () => client.workflowService.describeNamespace({ namespace }));
    return true;
  } catch (error) {
    if (grpcCode(error) === NOT_FOUND) return false;
    throw error;
  }
}

/**
 * Version of the server, such as 1.29.1.
 * @throws Unavailable when Temporal does not answer
 */
export async function readServerVersion(client: Client): Promise<string> {
  const { serverVersion } = await withDeadline(client, () => client.workflowService.getSystemInfo({}));
  return serverVersion;
}

function grpcCode(error: unknown): number | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return (cause as { code?: number } | undefined)?.code;
}
