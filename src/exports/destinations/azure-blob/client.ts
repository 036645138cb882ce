/**
 * The SDK's client on a transport of ours: only checked hosts, no redirects, no proxy from the environment, bounded answers. The SDK's own
 * transport drops the cause of an error, and follows redirects.
 */
import {
  AnonymousCredential,
  BlobSASPermissions,
  ContainerClient,
  newPipeline,
  RestError,
  StorageSharedKeyCredential,
  type BlockBlobClient,
  type HttpOperationResponse,
  type IHttpClient,
  type WebResource,
} from '@azure/storage-blob';
import http from 'node:http';
import https from 'node:https';
import { guardedAgents, type HttpAgents } from '../../../platform/net/connect.ts';
import { hostRules } from '../../../platform/net/host-rules.ts';
import type { SessionContext } from '../contract.ts';
import { repeatedFailure } from '../repeated-failure.ts';
import type { AzureAccount, RenewedSas } from './connection-string.ts';
import { statusOf, translate } from './errors.ts';

/** Limit of answers other than a blob's content: XML of at most 5,000 names. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_TRIES = 5;
const [UNAUTHORIZED, FORBIDDEN] = [401, 403];
const RETRY_MS = 500;
/** Limit of silence on a connection, so the SDK repeats a request whose answer is lost before the call's time limit (`store.ts`). */
const IDLE_MS = 25_000;
const MAX_SOCKETS = 16;
/** Time for which the store may read an upload that it copies. */
const COPY_SOURCE_MS = 3_600_000;

/** @returns the client, and a function that ends its connections */
export function azureContainer(
  { endpoint, credential }: AzureAccount,
  containerName: string,
  allowedHosts: readonly string[],
  onRequest?: SessionContext['onRequest'],
): { container: ContainerClient; close(): void } {
  const agents = guardedAgents(hostRules(allowedHosts), { maxSockets: MAX_SOCKETS });
  const isKey = 'accountKey' in credential;
  const renewed = 'currentSas' in credential ? credential : undefined;
  const pipeline = newPipeline(
    isKey ? new StorageSharedKeyCredential(credential.accountName, credential.accountKey) : new AnonymousCredential(),
    {
      httpClient: transport(agents, { onRequest, renewed }),
      retryOptions: { maxTries: MAX_TRIES, retryDelayInMs: RETRY_MS },
    },
  );
  const query = 'sas' in credential ? `?${credential.sas}` : '';
  return { container: new ContainerClient(`${endpoint}/${containerName}${query}`, pipeline), close: agents.destroy };
}

/** Returns the URL from which the store itself reads the blob to copy it. The account's key is of no use there: the URL needs a signature. */
export async function copySourceUrl(blob: BlockBlobClient, { credential }: AzureAccount): Promise<string> {
  if ('sas' in credential) return blob.url;
  if ('currentSas' in credential) return `${blob.url}?${await credential.currentSas()}`;
  const expiresOn = new Date(Date.now() + COPY_SOURCE_MS);
  return blob.generateSasUrl({ permissions: BlobSASPermissions.parse('r'), expiresOn });
}

const addressOf = (url: string, sas: string) => `${url}${url.includes('?') ? '&' : '?'}${sas}`;

type Transport = { onRequest: SessionContext['onRequest'] | undefined; renewed: RenewedSas | undefined };

function transport(agents: HttpAgents, { onRequest, renewed }: Transport): IHttpClient {
  const send = sender(agents, onRequest);
  if (!renewed) return { sendRequest: async (resource) => send(resource, resource.url) };
  return {
    async sendRequest(resource) {
      const response = await send(resource, addressOf(resource.url, await renewed.currentSas()));
      const isRefused = response.status === FORBIDDEN || response.status === UNAUTHORIZED;
      return isRefused ? send(resource, addressOf(resource.url, await renewed.currentSas(true))) : response;
    },
  };
}

function sender({ httpAgent, httpsAgent }: HttpAgents, onRequest: SessionContext['onRequest'] | undefined) {
  return async (resource: WebResource, address: string): Promise<HttpOperationResponse> => {
    const url = new URL(address);
    const isSecure = url.protocol === 'https:';
    const signal = resource.abortSignal as AbortSignal | undefined;
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const request = (isSecure ? https : http).request(
      url,
      {
        method: resource.method,
        headers: resource.headers.rawHeaders(),
        agent: isSecure ? httpsAgent : httpAgent,
        timeout: IDLE_MS,
        ...(signal && { signal }),
      },
      resolve,
    );
    request.on('timeout', () => request.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    request.on('error', reject);
    request.end(resource.body as string | Uint8Array | undefined);
    try {
      const answer = await promise;
      // An answer's own error is thrown where it is read.
      request.off('error', reject).on('error', () => {});
      const response = await readAnswer(resource, answer);
      onRequest?.(failureToRepeat({ statusCode: response.status }));
      return response;
    } catch (error) {
      const failure = retryable(error);
      if (failure instanceof RestError) onRequest?.(failureToRepeat(failure));
      throw failure;
    }
  };
}

const failureToRepeat = (error: { statusCode?: number }) =>
  repeatedFailure(statusOf(error), () => translate(error, { isExpired: false }));

/** Converts a network error to the class that the SDK retries, without the system's message, which names the host. */
function retryable(error: unknown): unknown {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code !== 'string' || name === 'AbortError') return error;
  return new RestError(code, { code });
}

async function readAnswer(resource: WebResource, answer: http.IncomingMessage): Promise<HttpOperationResponse> {
  const status = answer.statusCode ?? 0;
  const headers = Object.fromEntries(
    Object.entries(answer.headers).flatMap(([name, value]) =>
      // Without the address of a redirect, the SDK has nothing to follow.
      value === undefined || name === 'location' ? [] : [[name, String(value)]],
    ),
  );
  const isStream = resource.streamResponseStatusCodes?.has(status) ?? false;
  const content = isStream ? { readableStreamBody: answer } : { bodyAsText: await readText(answer) };
  // The SDK reads only this method of the headers.
  return {
    request: resource,
    status,
    headers: { toJson: () => headers },
    ...content,
  } as unknown as HttpOperationResponse;
}

async function readText(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
