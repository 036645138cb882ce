/** Faults of Azure's containers, by the store's codes and statuses. */
import { errorMaker, type KnownFault } from '../faults.ts';
import { networkFaults } from '../network-faults.ts';
import { OBJECT_STORE_FAULTS } from '../object-store/faults.ts';

const NEEDED =
  'Needed on the container: read, create, write, delete and list (rcwdl); of a signature for the account also its container and object levels.';
const DENIED = `The credentials may not do this. ${NEEDED}`;

/**
 * Final faults always recur with the same request, because the configuration is wrong, or the store does not support the request. All
 * others may be temporary, as during a rotation of keys, a restore or a correction of a clock, or while a policy is still spreading.
 */
export const AZURE_FAULTS = {
  container_not_found: {
    owner: 'you',
    field: 'container_name',
    sentence: 'The container does not exist.',
    rawCodes: ['ContainerNotFound', 404],
  },
  container_unavailable: {
    owner: 'destination',
    sentence: 'The container is being deleted, or is disabled.',
    rawCodes: ['ContainerBeingDeleted', 'ContainerDisabled'],
  },
  authentication_failed: {
    owner: 'you',
    field: 'connection_string',
    sentence: 'The account key or the shared access signature is wrong.',
    rawCodes: ['AuthenticationFailed', 'InvalidAuthenticationInfo', 'NoAuthenticationInformation', 401],
  },
  credentials_expired: {
    owner: 'you',
    field: 'connection_string',
    sentence: 'The shared access signature has expired.',
  },
  account_disabled: {
    owner: 'you',
    field: 'connection_string',
    sentence: 'The storage account is disabled.',
    rawCodes: ['AccountIsDisabled'],
  },
  account_being_made: {
    owner: 'destination',
    sentence: 'The storage account is being created.',
    rawCodes: ['AccountBeingCreated'],
  },
  account_key_disabled: {
    owner: 'you',
    field: 'connection_string',
    sentence: 'The storage account does not permit its keys. Permit them, or use a user delegation signature.',
    rawCodes: ['KeyBasedAuthenticationNotPermitted'],
  },
  access_denied: {
    owner: 'you',
    sentence: DENIED,
    rawCodes: [
      'AuthorizationPermissionMismatch',
      'AuthorizationResourceTypeMismatch',
      'AuthorizationServiceMismatch',
      'InsufficientAccountPermissions',
      403,
    ],
  },
  write_denied: { owner: 'you', sentence: DENIED },
  read_denied: { owner: 'you', sentence: DENIED },
  list_denied: { owner: 'you', sentence: DENIED },
  delete_denied: { owner: 'you', sentence: DENIED },
  not_authorized: {
    owner: 'you',
    sentence:
      'The storage account refuses the credentials or the worker’s address. Look at the key or the signature, at its address range, and at the firewall of the account.',
    rawCodes: ['AuthorizationFailure', 'AuthorizationSourceIPMismatch', 'AuthorizationProtocolMismatch'],
  },
  copy_denied: {
    owner: 'you',
    sentence: 'The storage account may not copy its own blobs with these credentials.',
    rawCodes: ['CannotVerifyCopySource'],
  },
  copy_running: {
    owner: 'destination',
    sentence: 'The store is still copying an earlier file to this name.',
    rawCodes: ['PendingCopyOperation'],
  },
  copy_failed: { owner: 'destination', sentence: 'The store did not finish copying a file to its name.' },
  blob_protected: {
    owner: 'you',
    sentence: 'A lease or an immutability policy protects the files.',
    rawCodes: ['BlobImmutableDueToPolicy', 'LeaseIdMissing', 'SnapshotsPresent'],
  },
  blob_archived: {
    owner: 'you',
    sentence: 'A file was moved to the archive tier, where it can neither be read nor replaced.',
    rawCodes: ['BlobArchived', 'BlobBeingRehydrated'],
  },
  blob_of_other_type: {
    owner: 'you',
    field: 'prefix',
    final: true,
    sentence: 'An append blob or a page blob already has the name of a file. Choose another prefix.',
    rawCodes: ['InvalidBlobType'],
  },
  slow_down: {
    owner: 'destination',
    sentence: 'The store is throttling requests.',
    rawCodes: ['ServerBusy', 'TooManyRequests', 429],
  },
  upload_timed_out: {
    owner: 'destination',
    sentence: 'The store waited too long for the content.',
    rawCodes: ['OperationTimedOut', 408],
  },
  content_damaged: {
    owner: 'destination',
    sentence: 'The content did not arrive as it was sent.',
    rawCodes: ['Md5Mismatch', 'Crc64Mismatch', 'IncompleteBody'],
  },
  file_too_large: {
    owner: 'you',
    field: 'max_file_size_mb',
    final: true,
    sentence: 'A file is larger than the store accepts.',
    rawCodes: ['RequestBodyTooLarge', 'BlockCountExceedsLimit', 'BlockListTooLong', 413],
  },
  name_not_taken: {
    owner: 'you',
    field: 'prefix',
    final: true,
    sentence: 'The store does not accept the names of the files. Choose another prefix.',
    rawCodes: ['InvalidResourceName', 'InvalidUri', 414],
  },
  requests_unsupported: {
    owner: 'destination',
    final: true,
    sentence: 'The store does not support what is needed: block blobs and copies within the account.',
    rawCodes: ['UnsupportedHttpVerb', 'FeatureNotSupportedForAccount', 'FeatureVersionMismatch', 405, 501],
  },
  answer_incomplete: { owner: 'destination', sentence: 'The store did not acknowledge an upload.' },
  store_unavailable: { owner: 'destination', sentence: 'The store cannot answer at the moment.' },
  request_refused: { owner: 'you', final: true, sentence: 'The store refused the request.' },
  ...networkFaults({ hostField: 'connection_string', unreachable: 'The store cannot be reached.' }),
  ...OBJECT_STORE_FAULTS,
} as const satisfies Record<string, KnownFault>;

export type AzureFaultCode = keyof typeof AZURE_FAULTS;

export const azureFault = errorMaker(AZURE_FAULTS);
