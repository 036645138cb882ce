/**
 * A token service of the tests, which checks trust policies as AWS's does, and hands out temporary credentials that MinIO made: MinIO speaks
 * AssumeRole, but checks no role and no external id. It does not check the signatures of requests. In front of MinIO stands a gate that
 * refuses credentials whose time is over, because MinIO makes none for less than a quarter of an hour.
 */
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../listening.ts';
import { MINIO_KEYS } from './minio.ts';

/** The installation's identity, as the service knows it. */
export const IDENTITY = { accessKeyId: 'CANARYIDENTITY', secretAccessKey: 'canary-secret-of-the-identity' };

type Options = {
  /** Origin of MinIO. */
  store: string;
  /** The external ids that roles ask for, by their ARNs; null: none. */
  roles: Readonly<Record<string, string | RegExp | null>>;
  /** How long credentials are valid. */
  lifetimeMs?: number;
  /** Delay of each part of an upload at the gate. */
  partMs?: number;
};

export type TokenService = {
  /** Origin of the service. */
  endpoint: string;
  /** Origin of the gate in front of MinIO. */
  store: string;
  /** Requests that were granted and refused, in order. */
  granted: URLSearchParams[];
  refused: URLSearchParams[];
  close(): void;
};

export async function startTokenService({
  store,
  roles,
  lifetimeMs = 3_600_000,
  partMs = 0,
}: Options): Promise<TokenService> {
  const minio = new STSClient({ region: 'us-east-1', endpoint: store, credentials: MINIO_KEYS });
  const expiries = new Map<string, number>();
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
      const command = new AssumeRoleCommand({ RoleArn: 'arn:minio:iam:::role/any', RoleSessionName: 'any' });
      const { AccessKeyId, SecretAccessKey, SessionToken } = (await minio.send(command)).Credentials!;
      const expiry = Date.now() + lifetimeMs;
      expiries.set(SessionToken!, expiry);
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(
        `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${AccessKeyId}</AccessKeyId>` +
          `<SecretAccessKey>${SecretAccessKey}</SecretAccessKey><SessionToken>${SessionToken}</SessionToken>` +
          `<Expiration>${new Date(expiry).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      );
    })();
  });

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
    endpoint: `http://127.0.0.1:${await listen(service)}`,
    store: `http://127.0.0.1:${await listen(gate)}`,
    granted,
    refused,
    close() {
      for (const server of [service, gate]) server.close().closeAllConnections();
      minio.destroy();
    },
  };
}
