import { InvalidInput } from '../../platform/errors.ts';
import type { AwsRoles } from './s3/roles.ts';
import { HostRefused, hostRules, type HostRules } from '../../platform/net/host-rules.ts';

/** The operator's settings for the use of the network and the disk; read once at start. */
export type DestinationEnvironment = {
  /** Root of the LocalFile destination; if undefined, the type does not exist. */
  localRoot: string | undefined;
  /** Limit of the files of one project there, in MiB; absent for no limit. */
  localQuotaMb?: number | undefined;
  /** Mode of files there, as in `open(2)`; `DEFAULT_FILE_MODE` if absent. */
  localFileMode?: number | undefined;
  /** Private hosts, addresses and ranges that the operator allows. */
  allowedHosts: readonly string[];
  /** Absent if the installation assumes no roles of users. */
  awsRoles?: AwsRoles | undefined;
};

/**
 * Makes a check of the host that a field names.
 * @param check throws HostRefused for a host that the operator does not allow
 * @throws InvalidInput naming the field
 */
export async function checkHostOf(
  field: string,
  { allowedHosts }: DestinationEnvironment,
  check: (rules: HostRules) => Promise<unknown>,
): Promise<void> {
  try {
    await check(hostRules(allowedHosts));
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    throw new InvalidInput(error.message, field, undefined, { cause: error });
  }
}
