/** Errors of the SDK and the network, as one of our two. Decided by code; the store's own text is never repeated. */
import { DestinationRejected, DestinationUnavailable } from '../../../platform/errors.ts';
import { HOST_REFUSED, HostRefused } from '../../../platform/net/host-rules.ts';
import { isTlsRefusal, TLS_REFUSED } from '../../../platform/net/tls-errors.ts';

/** Answers that the same request gets for ever: the configuration names another place, or the store is of another kind. */
const FINAL: Record<string, string> = {
  PermanentRedirect: 'The bucket is in another region.',
  AuthorizationHeaderMalformed: 'The bucket is in another region.',
  IllegalLocationConstraintException: 'The bucket is in another region.',
};

const FINAL_STATUS: Record<number, string> = {
  301: FINAL['PermanentRedirect']!,
  405: 'The store does not support what is needed: multipart uploads.',
  501: 'The store does not support what is needed: multipart uploads with checksums and metadata.',
};

/**
 * Answers that a rotation of keys, a policy that spreads slowly, a restore or a clock that is set gives for a while, with what to do
 * about one that stays.
 */
const PASSING: Record<string, string> = {
  NoSuchBucket: 'The bucket does not exist.',
  AccessDenied:
    'The credentials may not do this. Needed on the bucket: s3:PutObject, s3:GetObject, s3:ListBucket, ' +
    's3:AbortMultipartUpload, s3:ListMultipartUploadParts; with a KMS key also kms:GenerateDataKey and kms:Decrypt.',
  InvalidAccessKeyId: 'The access key id does not exist.',
  SignatureDoesNotMatch: 'The secret access key does not belong to the access key id.',
  ExpiredToken: 'The credentials have expired.',
  InvalidToken: 'The credentials are not valid.',
  TokenRefreshRequired: 'The credentials have expired.',
  RequestTimeTooSkewed: 'The clock of the worker differs too much from the store’s.',
  SlowDown: 'The store asks for fewer requests.',
  TemporaryRedirect: 'The bucket is being made.',
  RequestTimeout: 'The store waited too long for the content.',
  IncompleteBody: 'The content did not arrive whole.',
  BadDigest: 'The content did not arrive as it was sent.',
  XAmzContentChecksumMismatch: 'The content did not arrive as it was sent.',
  'KMS.DisabledException': 'The KMS key is disabled.',
  'KMS.InvalidStateException': 'The KMS key cannot be used in its present state.',
  'KMS.KMSInvalidStateException': 'The KMS key cannot be used in its present state.',
  'KMS.NotFoundException': 'The KMS key does not exist.',
};

const PASSING_STATUS: Record<number, string> = {
  401: PASSING['AccessDenied']!,
  403: PASSING['AccessDenied']!,
  404: 'The store does not know the bucket or the access key.',
};

/** Other 4xx that pass by themselves, and a redirect that names no bucket's region. */
const PASSING_STATUSES = new Set([307, 408, 409, 425, 429]);

/** Codes of connections that were not made. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/** An answer that says that nothing was done. */
const BUSY = 503;

type SdkError = { name?: unknown; code?: unknown; $metadata?: { httpStatusCode?: number } };

/** The store's code for an error: `NoSuchUpload`, `AccessDenied`, …; for a network error the system's. */
export function codeOf(error: unknown): string {
  const { name, code } = (error ?? {}) as SdkError;
  const found = typeof code === 'string' ? code : name;
  return typeof found === 'string' ? found : '';
}

export function statusOf(error: unknown): number | undefined {
  return ((error ?? {}) as SdkError).$metadata?.httpStatusCode;
}

/** Whether the store may have done what it was asked: its answer is lost, or leaves that open. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof HostRefused || isTlsRefusal(error) || NOT_CONNECTED.has(codeOf(error))) return false;
  const status = statusOf(error);
  return status === undefined || (status >= 500 && status !== BUSY && status !== 501);
}

/**
 * The consequence of a store's answer for a run.
 * @param status undefined when there was no answer
 * @returns `final`: the same request would be refused for ever; `advice`: a sentence for the user
 */
export function consequenceOf(code: string, status: number | undefined): { final: boolean; advice: string } {
  if (Object.hasOwn(PASSING, code)) return { final: false, advice: PASSING[code]! };
  if (Object.hasOwn(FINAL, code)) return { final: true, advice: FINAL[code]! };
  if (status === undefined) return { final: false, advice: 'The store cannot be reached.' };
  if (PASSING_STATUS[status]) return { final: false, advice: PASSING_STATUS[status] };
  if (FINAL_STATUS[status]) return { final: true, advice: FINAL_STATUS[status] };
  if (status >= 500 || status < 300 || PASSING_STATUSES.has(status)) {
    return { final: false, advice: `The store cannot answer at the moment (status ${status}).` };
  }
  return { final: true, advice: `The store refused the request (status ${status}).` };
}

/** @throws always */
export function translate(error: unknown): never {
  if (error instanceof DestinationRejected || error instanceof DestinationUnavailable) throw error;
  if (error instanceof HostRefused) throw new DestinationUnavailable(HOST_REFUSED, { cause: error });
  if (isTlsRefusal(error)) throw new DestinationUnavailable(TLS_REFUSED, { cause: error });
  const { final, advice } = consequenceOf(codeOf(error), statusOf(error));
  throw final
    ? new DestinationRejected(advice, { cause: error })
    : new DestinationUnavailable(advice, { cause: error });
}
