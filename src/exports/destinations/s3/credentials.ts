/** Credentials of AWS as configurations name them: an access key, or a role in its place. */
import { InvalidInput } from '../../../platform/errors.ts';
import { nullable, Type } from '../../../platform/schema.ts';
import type { DestinationEnvironment } from '../environment.ts';
import type { S3Access } from './client.ts';
import { ROLES_OFF, ROLES_OFF_CODE, s3Fault } from './faults.ts';
import { isRoleArn } from './roles.ts';

export const roleProperties = {
  aws_role_arn: Type.Optional({
    ...nullable(Type.String({ maxLength: 600 }), {
      title: 'Role ARN',
      description:
        'The ARN of a role, such as arn:aws:iam::123456789012:role/exports, that is assumed in place of an access key. Its trust policy must ask for the external ID of the project.',
    }),
    'x-group': 'connection',
    'x-credential': true,
  }),
};

type Text = string | null | undefined;
export type KeyOrRole = {
  aws_access_key_id?: Text;
  aws_secret_access_key?: Text;
  /** Of temporary keys. */
  aws_session_token?: Text;
  aws_role_arn?: Text;
};

/** Checks the role's form, and that there is no key beside it. @throws InvalidInput naming the field */
export function checkRole({
  aws_access_key_id: id,
  aws_secret_access_key: key,
  aws_session_token: token,
  aws_role_arn: role,
}: KeyOrRole): void {
  if (!role) return;
  if (id || key || token)
    throw new InvalidInput(
      'A role is used in place of an access key: set the key to null, or the role.',
      'aws_role_arn',
    );
  if (!isRoleArn(role))
    throw new InvalidInput('Not the ARN of a role, such as arn:aws:iam::123456789012:role/exports.', 'aws_role_arn');
}

/** @throws InvalidInput naming the field, for a role where the installation assumes none */
export function checkRolesOffered({ aws_role_arn: role }: KeyOrRole, { awsRoles }: DestinationEnvironment): void {
  if (role && !awsRoles) throw new InvalidInput(ROLES_OFF, 'aws_role_arn', ROLES_OFF_CODE);
}

/**
 * @param region of the token service
 * @returns the key, or a function that returns the role's present credentials
 * @throws DestinationUnavailable for a role where the installation assumes none any more
 */
export function credentialsOf(
  config: KeyOrRole,
  { projectId, region }: { projectId: number; region: string },
  { awsRoles }: DestinationEnvironment,
): S3Access['credentials'] {
  const { aws_role_arn: roleArn, aws_session_token: sessionToken } = config;
  if (!roleArn)
    return {
      accessKeyId: config.aws_access_key_id ?? '',
      secretAccessKey: config.aws_secret_access_key ?? '',
      ...(sessionToken && { sessionToken }),
    };
  if (!awsRoles) throw s3Fault('roles_off');
  return async () => awsRoles.credentialsOf({ roleArn, projectId, region });
}
