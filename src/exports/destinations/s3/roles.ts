/**
 * Temporary credentials of roles in the AWS accounts of users, which the installation assumes with an identity of its own.
 *
 * A role is assumed with the external id of the project whose export names it. Sluice makes the id, so another project that names the same
 * role sends another id, which the trust policy of the role refuses. A role whose policy does not ask for the id would be open to every
 * project, and is not used: each time, Sluice makes sure that the role can be assumed neither without one nor with that of a project that does not exist.
 */
import { randomUUID } from 'node:crypto';
import { AssumeRoleCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts';
import { DestinationRejected, DestinationUnavailable } from '../../../platform/errors.ts';
import { guardedAgents } from '../../../platform/net/connect.ts';
import { hostRules } from '../../../platform/net/host-rules.ts';
import { codeOf, statusOf } from './errors.ts';
import { S3_FAULTS, s3Fault } from './faults.ts';

/** Lifetime of credentials, which is the longest that AWS gives to an identity that is a role itself. */
const SESSION_SECONDS = 3600;
/** Time before their end when credentials count as expired; the SDK asks for new ones five minutes before the end. */
const RENEW_BEFORE_MS = 6 * 60_000;
const CONNECT_MS = 5_000;
/** Time limit of a call with its repetitions. */
const CALL_MS = 15_000;

export type RoleCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  expiration: Date;
};

/** The role that a project's export names. The region says which endpoint of the token service is asked. */
export type RoleAccess = { roleArn: string; projectId: number; region: string };

export type AwsRoles = {
  /** The external id of a project, which a trust policy asks for. It is no secret. */
  externalIdOf(projectId: number): Promise<string>;
  /**
   * Credentials with some minutes of life left. Sessions of one process share them.
   * @throws DestinationUnavailable
   */
  credentialsOf(access: RoleAccess): Promise<RoleCredentials>;
};

export type AwsRolesOptions = {
  /** Private hosts, addresses and ranges that the operator allows, for a token service in a private network. */
  allowedHosts: readonly string[];
  externalIdOf: AwsRoles['externalIdOf'];
  /** The installation's identity, and the token service; by default those that the SDK finds for the process. */
  identity?: Pick<STSClientConfig, 'credentials' | 'endpoint'>;
};

/** @param uuid of the project: ids of projects begin with 1 in every installation */
export const externalIdOfProject = (uuid: string): string => `sluice-${uuid}`;

const ROLE_ARN = /^arn:aws(-[a-z]+)*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;

export const isRoleArn = (text: string): boolean => ROLE_ARN.test(text);

export function awsRoles({ allowedHosts, externalIdOf, identity = {} }: AwsRolesOptions): AwsRoles {
  const held = new Map<string, { credentials: Promise<RoleCredentials>; expiresAt: number }>();

  async function assume({ roleArn, projectId, region }: RoleAccess): Promise<RoleCredentials> {
    const externalId = await externalIdOf(projectId);
    const { httpAgent, httpsAgent, destroy } = guardedAgents(hostRules(allowedHosts), { maxSockets: 1 });
    const client = new STSClient({
      region,
      requestHandler: { httpAgent, httpsAgent, connectionTimeout: CONNECT_MS, requestTimeout: CALL_MS },
      ...identity,
    });
    const request = {
      RoleArn: roleArn,
      RoleSessionName: `sluice-project-${projectId}`,
      DurationSeconds: SESSION_SECONDS,
    };
    const send = async (more: { ExternalId?: string }) =>
      client.send(new AssumeRoleCommand({ ...request, ...more }), { abortSignal: AbortSignal.timeout(CALL_MS) });
    try {
      const started = Date.now();
      const { Credentials: made } = await send({ ExternalId: externalId });
      // tooth: role-needs-external-id
      for (const other of [{}, { ExternalId: externalIdOfProject(randomUUID()) }])
        if (await send(other).then(() => true, refusesOrThrows)) throw s3Fault('role_without_external_id');
      if (!made?.AccessKeyId || !made.SecretAccessKey || !made.SessionToken) throw s3Fault('role_service_unavailable');
      // By our own clock, too, in case it differs from the service's.
      const expiration = Math.min(made.Expiration?.getTime() ?? Infinity, started + SESSION_SECONDS * 1000);
      return {
        accessKeyId: made.AccessKeyId,
        secretAccessKey: made.SecretAccessKey,
        sessionToken: made.SessionToken,
        expiration: new Date(expiration),
      };
    } catch (error) {
      throw roleFault(error, externalId);
    } finally {
      client.destroy();
      destroy();
    }
  }

  return {
    externalIdOf,
    async credentialsOf(access) {
      const key = `${access.projectId} ${access.region} ${access.roleArn}`;
      const now = Date.now();
      for (const [other, { expiresAt }] of held) if (expiresAt <= now) held.delete(other);
      const present = held.get(key);
      if (present) return present.credentials;
      // Calls that come meanwhile wait for the same answer.
      const entry = { credentials: assume(access), expiresAt: Infinity };
      held.set(key, entry);
      try {
        const credentials = await entry.credentials;
        entry.expiresAt = credentials.expiration.getTime() - RENEW_BEFORE_MS;
        return credentials;
      } catch (error) {
        held.delete(key);
        throw error;
      }
    },
  };
}

/** @returns false for a refusal of the role @throws any other error */
function refusesOrThrows(error: unknown): false {
  if (codeOf(error) === 'AccessDenied') return false;
  throw error;
}

/** Codes of the token service and the SDK that are about the installation's own identity. */
const IDENTITY_CODES = new Set([
  'CredentialsProviderError',
  'TokenProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);

function roleFault(error: unknown, externalId: string): Error {
  if (error instanceof DestinationUnavailable || error instanceof DestinationRejected) return error;
  const [code, cause] = [codeOf(error), { cause: error }];
  if (IDENTITY_CODES.has(code)) return s3Fault('identity_unusable', cause);
  if (code === 'RegionDisabledException') return s3Fault('role_region_disabled', cause);
  const isRefused = code === 'AccessDenied' || code === 'ValidationError' || statusOf(error) === 403;
  if (!isRefused) return s3Fault('role_service_unavailable', cause);
  return s3Fault('role_denied', {
    ...cause,
    sentence: `${S3_FAULTS.role_denied.sentence} The external ID of this project is ${externalId}.`,
  });
}
