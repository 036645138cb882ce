/** Faults of Google Cloud Storage's buckets, by the store's reasons and statuses. */
import { HOST_REFUSED } from '../../../platform/net/host-rules.ts';
import { errorMaker, type KnownFault } from '../faults.ts';
import { networkFaults } from '../network-faults.ts';
import { OBJECT_STORE_FAULTS } from '../object-store/faults.ts';

const DENIED =
  'The service account may not do this. Needed on the bucket: storage.objects.create, get, list and delete, as the role Storage Object User has them.';

/**
 * Final faults always recur with the same request, because the configuration is wrong, or the store does not support the request. All
 * others may be temporary, as during a rotation of keys, a restore or a correction of a clock, or while a policy is still spreading.
 */
export const GCS_FAULTS = {
  bucket_not_found: {
    owner: 'you',
    field: 'bucket_name',
    sentence: 'The bucket does not exist.',
    rawCodes: ['notFound', 404],
  },
  key_refused: {
    owner: 'you',
    field: 'service_account_key',
    sentence:
      'Google does not accept the key: it was deleted or is disabled, as its service account may be, or the clock of the worker is wrong.',
  },
  authentication_failed: {
    owner: 'you',
    field: 'service_account_key',
    sentence: 'The store does not accept the access token of the service account.',
    rawCodes: ['authError', 401],
  },
  token_server_invalid: {
    owner: 'you',
    field: 'service_account_key',
    sentence: 'The token_uri of the key leads to nothing that gives access tokens.',
  },
  token_server_unavailable: {
    owner: 'destination',
    sentence: 'The server of access tokens cannot answer at the moment.',
  },
  token_server_unreachable: { owner: 'destination', sentence: 'The server of access tokens cannot be reached.' },
  token_server_not_allowed: { owner: 'you', field: 'service_account_key', sentence: HOST_REFUSED },
  access_denied: { owner: 'you', sentence: DENIED, rawCodes: ['forbidden', 'insufficientPermissions', 403] },
  write_denied: { owner: 'you', sentence: DENIED },
  read_denied: { owner: 'you', sentence: DENIED },
  list_denied: { owner: 'you', sentence: DENIED },
  delete_denied: { owner: 'you', sentence: DENIED },
  project_disabled: {
    owner: 'you',
    sentence: 'The Google Cloud project of the bucket is disabled, or has no active billing account.',
    rawCodes: ['accountDisabled', 'billingDisabled'],
  },
  requester_pays: {
    owner: 'you',
    field: 'bucket_name',
    final: true,
    sentence: 'Requests to the bucket are paid for by those who make them, which is not supported.',
    rawCodes: ['userProjectMissing', 'userProjectAccessDenied'],
  },
  object_protected: {
    owner: 'you',
    sentence: 'A retention policy or a hold of the bucket protects the files.',
    rawCodes: ['retentionPolicyNotMet', 'objectUnderActiveHold'],
  },
  storage_quota_exceeded: {
    owner: 'destination',
    sentence: 'A quota of the Google Cloud project is used up.',
    rawCodes: ['quotaExceeded', 'dailyLimitExceeded'],
  },
  slow_down: {
    owner: 'destination',
    sentence: 'The store is throttling requests.',
    rawCodes: ['rateLimitExceeded', 'userRateLimitExceeded', 429],
  },
  upload_timed_out: {
    owner: 'destination',
    sentence: 'The store waited too long for the content.',
    rawCodes: ['requestTimeout', 408],
  },
  content_damaged: { owner: 'destination', sentence: 'The content did not arrive as it was sent.' },
  file_too_large: {
    owner: 'you',
    field: 'max_file_size_mb',
    final: true,
    sentence: 'A file is larger than the store accepts.',
    rawCodes: ['uploadTooLarge', 413],
  },
  name_not_taken: {
    owner: 'you',
    field: 'prefix',
    final: true,
    sentence: 'The store does not accept the names of the files. Choose another prefix.',
    rawCodes: [414],
  },
  endpoint_redirects: {
    owner: 'you',
    field: 'endpoint_url',
    final: true,
    sentence:
      'The endpoint redirects to another address, which is not followed. Enter the address of the store itself.',
    rawCodes: [301, 302, 303, 307, 308],
  },
  requests_unsupported: {
    owner: 'destination',
    final: true,
    sentence: 'The store does not support what is needed: conditional requests, and files that are composed of others.',
    rawCodes: [405, 501],
  },
  answer_incomplete: { owner: 'destination', sentence: 'The store did not acknowledge an upload.' },
  listing_endless: { owner: 'destination', sentence: 'The store lists more objects of one upload than Sluice made.' },
  store_unavailable: { owner: 'destination', sentence: 'The store cannot answer at the moment.' },
  request_refused: { owner: 'you', final: true, sentence: 'The store refused the request.' },
  ...networkFaults({ hostField: 'endpoint_url', unreachable: 'The store cannot be reached.' }),
  ...OBJECT_STORE_FAULTS,
} as const satisfies Record<string, KnownFault>;

export type GcsFaultCode = keyof typeof GCS_FAULTS;

export const gcsFault = errorMaker(GCS_FAULTS);
