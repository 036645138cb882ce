/** Faults of buckets, by the store's codes and statuses. */
import { errorMaker, type KnownFault } from '../faults.ts';
import { networkFaults } from '../network-faults.ts';
import { OBJECT_STORE_FAULTS } from '../object-store/faults.ts';

const NEEDED =
  'Needed on the bucket: s3:PutObject, s3:GetObject, s3:ListBucket, ' +
  's3:AbortMultipartUpload, s3:ListMultipartUploadParts; with a KMS key also kms:GenerateDataKey and kms:Decrypt.';
const DENIED = `The credentials may not do this. ${NEEDED}`;
/** A refused HEAD has no body, so a wrong secret looks like a missing right. */
const REFUSED = `The credentials are wrong or may not do this. ${NEEDED}`;
const ELSEWHERE = 'The bucket is in another region.';
const NOT_WHOLE = 'The content did not arrive whole.';

/** Code of the refusal where configurations are checked, and of the fault of runs. */
export const ROLES_OFF_CODE = 'roles_off';
export const ROLES_OFF =
  'This installation does not assume roles. Enter an access key, or ask the operator to set EXPORT_AWS_ROLES.';

/** Of roles, whose field has one name in every configuration. */
export const ROLE_FAULTS = {
  role_denied: {
    owner: 'you',
    field: 'aws_role_arn',
    sentence:
      'The role cannot be assumed. Its trust policy must let the identity of this installation do sts:AssumeRole with ' +
      'the external ID of this project.',
  },
  role_without_external_id: {
    owner: 'you',
    field: 'aws_role_arn',
    sentence:
      'The role can be assumed without the external ID of this project, so it is not used. Its trust policy must ask for exactly this one: a condition StringEquals on sts:ExternalId.',
  },
  role_region_disabled: {
    owner: 'you',
    field: 'region',
    sentence: 'The account of the role has not activated the Security Token Service in this region.',
  },
  role_service_unavailable: {
    owner: 'destination',
    sentence: 'The Security Token Service, which gives the credentials of roles, does not answer.',
  },
  roles_off: {
    owner: 'sluice',
    field: 'aws_role_arn',
    sentence: ROLES_OFF,
  },
  identity_unusable: {
    owner: 'sluice',
    sentence: 'The AWS identity of this installation, which assumes roles, is missing or refused.',
  },
} as const satisfies Record<string, KnownFault>;

/**
 * Final faults always recur with the same request, because the configuration is wrong, or the store does not support the request. All
 * others may be temporary, as during a rotation of keys, a restore or a correction of a clock, or while a policy is still spreading.
 */
export const STORE_FAULTS = {
  bucket_not_found: {
    owner: 'you',
    field: 'bucket_name',
    sentence: 'The bucket does not exist.',
    rawCodes: ['NoSuchBucket'],
  },
  bucket_being_made: {
    owner: 'destination',
    sentence: 'The bucket is being created.',
    rawCodes: ['TemporaryRedirect'],
  },
  bucket_or_key_unknown: {
    owner: 'you',
    field: 'bucket_name',
    sentence: 'The store does not know the bucket or the access key.',
    rawCodes: [404],
  },
  wrong_region: {
    owner: 'you',
    field: 'region',
    final: true,
    sentence: ELSEWHERE,
    rawCodes: ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'],
  },
  // As from a proxy that leads from http to https; S3 itself answers 301 with a code, or names the region in a header.
  endpoint_redirects: {
    owner: 'you',
    field: 'endpoint_url',
    final: true,
    sentence:
      'The endpoint redirects to another address, which is not followed. Enter the address of the store itself.',
    rawCodes: [301, 302, 303, 308],
  },
  access_denied: { owner: 'you', sentence: REFUSED, rawCodes: ['AccessDenied', 401, 403] },
  write_denied: { owner: 'you', sentence: DENIED },
  read_denied: { owner: 'you', sentence: DENIED },
  list_denied: { owner: 'you', sentence: DENIED },
  abort_denied: { owner: 'you', sentence: DENIED },
  access_key_not_found: {
    owner: 'you',
    field: 'aws_access_key_id',
    sentence: 'The access key id does not exist.',
    rawCodes: ['InvalidAccessKeyId'],
  },
  wrong_secret_key: {
    owner: 'you',
    field: 'aws_secret_access_key',
    sentence: 'The secret access key does not belong to the access key id.',
    rawCodes: ['SignatureDoesNotMatch'],
  },
  credentials_expired: {
    owner: 'you',
    field: 'aws_access_key_id',
    sentence: 'The credentials have expired.',
    rawCodes: ['ExpiredToken', 'TokenRefreshRequired'],
  },
  credentials_invalid: {
    owner: 'you',
    field: 'aws_access_key_id',
    sentence: 'The credentials are not valid.',
    rawCodes: ['InvalidToken'],
  },
  clock_skewed: {
    owner: 'sluice',
    sentence: 'The clock of the worker differs too much from the store’s.',
    rawCodes: ['RequestTimeTooSkewed'],
  },
  kms_key_not_found: {
    owner: 'you',
    field: 'kms_key_id',
    sentence: 'The KMS key does not exist.',
    rawCodes: ['KMS.NotFoundException'],
  },
  kms_key_disabled: {
    owner: 'you',
    field: 'kms_key_id',
    sentence: 'The KMS key is disabled.',
    rawCodes: ['KMS.DisabledException'],
  },
  kms_key_unusable: {
    owner: 'you',
    field: 'kms_key_id',
    sentence: 'The KMS key cannot be used in its present state.',
    rawCodes: ['KMS.InvalidStateException', 'KMS.KMSInvalidStateException'],
  },
  storage_quota_exceeded: {
    owner: 'destination',
    sentence: 'The bucket or the store is full.',
    rawCodes: ['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 507],
  },
  slow_down: {
    owner: 'destination',
    sentence: 'The store is throttling requests.',
    rawCodes: ['SlowDown', 'TooManyRequests', 'ThrottlingException', 'RequestLimitExceeded', 429],
  },
  upload_timed_out: {
    owner: 'destination',
    sentence: 'The store waited too long for the content.',
    rawCodes: ['RequestTimeout', 408],
  },
  content_incomplete: { owner: 'destination', sentence: NOT_WHOLE, rawCodes: ['IncompleteBody'] },
  content_damaged: {
    owner: 'destination',
    sentence: 'The content did not arrive as it was sent.',
    rawCodes: ['BadDigest', 'XAmzContentChecksumMismatch'],
  },
  file_too_large: {
    owner: 'you',
    field: 'max_file_size_mb',
    final: true,
    sentence: 'A file is larger than the store accepts.',
    rawCodes: ['EntityTooLarge'],
  },
  name_too_long: {
    owner: 'you',
    field: 'prefix',
    final: true,
    sentence: 'The names of the files are longer than the store accepts. Choose a shorter prefix.',
    rawCodes: ['KeyTooLongError', 'XMinioInvalidObjectName'],
  },
  multipart_unsupported: {
    owner: 'destination',
    final: true,
    sentence: 'The store does not support what is needed: multipart uploads.',
    rawCodes: [405],
  },
  checksums_unsupported: {
    owner: 'destination',
    final: true,
    sentence: 'The store does not support what is needed: multipart uploads with checksums and metadata.',
    rawCodes: [501],
  },
  answer_incomplete: { owner: 'destination', sentence: 'The store did not acknowledge a part of the upload.' },
  uploads_stay_open: { owner: 'destination', sentence: 'The store does not end an upload that was aborted.' },
  store_unavailable: { owner: 'destination', sentence: 'The store cannot answer at the moment.' },
  request_refused: { owner: 'you', final: true, sentence: 'The store refused the request.' },
  ...networkFaults({ hostField: 'endpoint_url', unreachable: 'The store cannot be reached.' }),
  ...OBJECT_STORE_FAULTS,
} as const satisfies Record<string, KnownFault>;

export const S3_FAULTS = { ...STORE_FAULTS, ...ROLE_FAULTS } as const;

export type S3FaultCode = keyof typeof S3_FAULTS;

export const s3Fault = errorMaker(S3_FAULTS);
