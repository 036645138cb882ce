/** The SDK's client with restrictions: only the user's credentials, only checked hosts, no redirects, bounded answers. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { Transform, pipeline, type Readable } from 'node:stream';
import { guardedAgents } from '../../../platform/net/connect.ts';
import { hostRules } from '../../../platform/net/host-rules.ts';
import type { SessionContext } from '../contract.ts';
import { repeatedFailure } from '../repeated-failure.ts';
import { codeOf, statusOf, translate } from './errors.ts';
import { noteRegion } from './refused-region.ts';

/** Limit of answers other than an object's content, which are small XML. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_ATTEMPTS = 5;
const CONNECT_MS = 10_000;
/** Limit of silence on an open connection. */
const IDLE_MS = 60_000;
const MAX_SOCKETS = 16;

export type S3Access = {
  region: string;
  /** Keys, or a function that the SDK calls again shortly before the keys expire. */
  credentials: NonNullable<S3ClientConfig['credentials']>;
  /** Called when the store refuses the credentials as expired or unknown. The request is repeated once afterwards. */
  renewCredentials?: () => Promise<unknown>;
  /** Origin of the store; null for AWS. */
  endpoint: string | null;
  virtualHosts: boolean;
  allowedHosts: readonly string[];
  onRequest?: SessionContext['onRequest'] | undefined;
};

/** @returns the client, and a function that ends it and its connections */
export function s3Client(access: S3Access): { client: S3Client; close(): void } {
  const { httpAgent, httpsAgent, destroy } = guardedAgents(hostRules(access.allowedHosts), { maxSockets: MAX_SOCKETS });
  const client = new S3Client({
    region: access.region,
    credentials: access.credentials,
    ...(access.endpoint !== null && { endpoint: access.endpoint, forcePathStyle: !access.virtualHosts }),
    requestHandler: { httpAgent, httpsAgent, connectionTimeout: CONNECT_MS, socketTimeout: IDLE_MS },
    maxAttempts: MAX_ATTEMPTS,
    followRegionRedirects: false,
    // Settings of the worker's own machine must not leak into a user's export.
    ignoreConfiguredEndpointUrls: true,
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (input) => {
        const result = await next(input);
        const response = result.response as { body?: Readable };
        if (commandName !== 'GetObjectCommand' && response.body) response.body = limitBody(response.body);
        return result;
      },
    { step: 'deserialize', priority: 'low', name: 'capAnswers' },
  );
  client.middlewareStack.add(
    (next) => async (input) => {
      try {
        const result = await next(input);
        access.onRequest?.();
        return result;
      } catch (error) {
        if (codeOf(error) !== 'AbortError')
          access.onRequest?.(repeatedFailure(statusOf(error), () => translate(error)));
        throw error;
      }
    },
    { step: 'deserialize', priority: 'high', name: 'reportRequests' },
  );
  client.middlewareStack.add(
    (next) => (input) =>
      next(input).catch((error: unknown) => {
        throw noteRegion(error, access.region);
      }),
    { step: 'initialize', name: 'noteRegion' },
  );
  const { renewCredentials } = access;
  if (renewCredentials)
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (input) =>
          next(input).catch(async (error: unknown) => {
            if (!isRefusedCredential(error, commandName)) throw error;
            await renewCredentials();
            return next(input);
          }),
      { step: 'initialize', name: 'renewCredentials' },
    );
  return {
    client,
    close() {
      client.destroy();
      destroy();
    },
  };
}

const REFUSED_CREDENTIALS = new Set(['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'TokenRefreshRequired']);

/** The answer to a HEAD has no body, and so no code. */
function isRefusedCredential(error: unknown, command: string | undefined): boolean {
  if (command === 'HeadObjectCommand') return [400, 403].includes(statusOf(error) ?? 0);
  return REFUSED_CREDENTIALS.has(codeOf(error));
}

function limitBody(body: Readable): Readable {
  let bytes = 0;
  const cap = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      done(bytes > MAX_ANSWER_BYTES ? new Error('the answer is too large') : null, chunk);
    },
  });
  return pipeline(body, cap, () => {});
}
