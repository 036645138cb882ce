/**
 * A token service of the tests, which checks trust policies as AWS's does, and hands out temporary credentials that a store of the tests made.
 * Signatures of requests are not checked.
 */
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../listening.ts';
import { MINIO_KEYS } from './minio.ts';

/** The installation's identity, as the service knows it. */
export const IDENTITY = { accessKeyId: 'CANARYIDENTITY', secretAccessKey: 'canary-secret-of-the-identity' };

type TemporaryKey = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** When it expires, in milliseconds since 1970. */
  until: number;
};

/** The external ids that roles ask for, by their ARNs; null: none. */
type TrustPolicies = Readonly<Record<string, string | RegExp | null>>;

export type TokenService = {
  /** Origin of the service. */
  endpoint: string;
  /** Requests that were granted and refused, in order. */
  granted: URLSearchParams[];
  refused: URLSearchParams[];
  close(): void;
};

export async function startTokenService({
  roles,
  makeKey,
}: {
  roles: TrustPolicies;
  makeKey(): Promise<TemporaryKey>;
}): Promise<TokenService> {
  const granted: URLSearchParams[] = [];
  const refused: URLSearchParams[] = [];

  const service = http.createServer((request, response) => {
    void (async () => {
      const form = new URLSearchParams((await buffer(request)).toString());
      const asked = roles[form.get('RoleArn') ?? ''];
      const isKnown = request.headers.authorization?.includes(`Credential=${IDENTITY.accessKeyId}/`) === true;
      const externalId = form.get('ExternalId') ?? '';
      const isTrusted = asked instanceof RegExp ? asked.test(externalId) : asked === null || asked === externalId;
      if (!isKnown || !isTrusted) {
        refused.push(form);
        const message = `User: arn:aws:iam::111122223333:user/canary is not authorized`;
        const code = isKnown ? 'AccessDenied' : 'InvalidClientTokenId';
        response.writeHead(403, { 'content-type': 'text/xml' });
        response.end(`<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`);
        return;
      }
      granted.push(form);
      const { accessKeyId, secretAccessKey, sessionToken, until } = await makeKey();
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(
        `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId>` +
          `<SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken>` +
          `<Expiration>${new Date(until).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      );
    })();
  });
  return {
    endpoint: `http://127.0.0.1:${await listen(service)}`,
    granted,
    refused,
    close: () => service.close().closeAllConnections(),
  };
}

type MinioOptions = {
  /** Origin of MinIO. */
  store: string;
  roles: TrustPolicies;
  /** How long credentials are valid. */
  lifetimeMs?: number;
  /** Delay of each part of an upload at the gate. */
  partMs?: number;
};

export type MinioTokenService = TokenService & {
  /** Origin of the gate in front of MinIO. */
  store: string;
};

/**
 * A token service of which MinIO makes the credentials: MinIO speaks AssumeRole, but checks no role and no external id. In front of MinIO stands
 * a gate that refuses credentials whose time is over, because MinIO makes none for less than a quarter of an hour.
 */
export async function startMinioTokenService({
  store,
  roles,
  lifetimeMs = 3_600_000,
  partMs = 0,
}: MinioOptions): Promise<MinioTokenService> {
  const minio = new STSClient({ region: 'us-east-1', endpoint: store, credentials: MINIO_KEYS });
  const expiries = new Map<string, number>();

  async function makeKey(): Promise<TemporaryKey> {
    const command = new AssumeRoleCommand({ RoleArn: 'arn:minio:iam:::role/any', RoleSessionName: 'any' });
    const { AccessKeyId, SecretAccessKey, SessionToken } = (await minio.send(command)).Credentials!;
    const until = Date.now() + lifetimeMs;
    expiries.set(SessionToken!, until);
    return { accessKeyId: AccessKeyId!, secretAccessKey: SecretAccessKey!, sessionToken: SessionToken!, until };
  }
  const service = await startTokenService({ roles, makeKey });

  const { hostname, port } = new URL(store);
  const gate = http.createServer((request, response) => {
    const { method, url = '', headers } = request;
    void (async () => {
      if ((expiries.get(String(headers['x-amz-security-token'])) ?? 0) < Date.now()) {
        request.resume();
        response.writeHead(400, { connection: 'close' }).end('<Error><Code>ExpiredToken</Code></Error>');
        return;
      }
      if (url.includes('partNumber=')) await sleep(partMs);
      const forwarded = http.request({ hostname, port, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      request.pipe(forwarded);
    })();
  });

  return {
    ...service,
    store: `http://127.0.0.1:${await listen(gate)}`,
    close() {
      service.close();
      gate.close().closeAllConnections();
      minio.destroy();
    },
  };
}
