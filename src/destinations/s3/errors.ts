/** What the SDK and the network throw, as one of our two errors. Decided by code; the store's own text is never repeated. */
import { DestinationRejected, DestinationUnavailable } from '../../errors.ts';
import { HOST_REFUSED, HostRefused } from '../../net/host-rules.ts';
import { isTlsRefusal, TLS_REFUSED } from '../../net/tls-errors.ts';

/** What the user must do about it, where a code says more than "no". */
const REJECTED: Record<string, string> = {
  NoSuchBucket: 'The bucket does not exist.',
  AccessDenied:
    'The credentials may not do this. Needed on the bucket: s3:PutObject, s3:GetObject, s3:ListBucket, ' +
    's3:AbortMultipartUpload, s3:ListMultipartUploadParts; with a KMS key also kms:GenerateDataKey and kms:Decrypt.',
  InvalidAccessKeyId: 'The access key id does not exist.',
  SignatureDoesNotMatch: 'The secret access key does not belong to the access key id.',
  PermanentRedirect: 'The bucket is in another region.',
  AuthorizationHeaderMalformed: 'The bucket is in another region.',
  IllegalLocationConstraintException: 'The bucket is in another region.',
};

const BY_STATUS: Record<number, string> = {
  301: REJECTED['PermanentRedirect']!,
  401: REJECTED['AccessDenied']!,
  403: REJECTED['AccessDenied']!,
  404: 'The store does not know the bucket or the access key.',
  405: 'The store does not support what is needed: multipart uploads.',
  501: 'The store does not support what is needed: multipart uploads with checksums and metadata.',
};

/** 4xx that pass by themselves. */
const PASSING = new Set([408, 409, 425, 429]);

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

/** @throws always */
export function translate(error: unknown): never {
  if (error instanceof DestinationRejected || error instanceof DestinationUnavailable) throw error;
  if (error instanceof HostRefused) throw new DestinationRejected(HOST_REFUSED, { cause: error });
  if (isTlsRefusal(error)) throw new DestinationRejected(TLS_REFUSED, { cause: error });
  const [code, status] = [codeOf(error), statusOf(error)];
  const advice = Object.hasOwn(REJECTED, code) ? REJECTED[code] : undefined;
  if (advice) throw new DestinationRejected(advice, { cause: error });
  if (status === undefined) throw new DestinationUnavailable('The store cannot be reached.', { cause: error });
  if (status !== 501 && (status >= 500 || status < 300 || PASSING.has(status))) {
    throw new DestinationUnavailable(`The store cannot answer at the moment (status ${status}).`, { cause: error });
  }
  throw new DestinationRejected(BY_STATUS[status] ?? `The store refused the request (status ${status}).`, {
    cause: error,
  });
}
