/**
 * Finds out that a bucket is in another region, or that temporary credentials are over. S3 refuses a HEAD then with 400 and without a body. It
 * names the region in a header; other stores name it only in the body of a GET.
 */
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { consequenceOf, codeOf, statusOf } from './errors.ts';

const HEADER = 'x-amz-bucket-region';
const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/;
const REFUSED = 400;
const MOVED = 301;

type ErrorWithResponse = { $response?: { headers?: Record<string, string | undefined> } };

/** @param region that requests are signed for @returns the error, with the code and the region of a bucket that is elsewhere */
export function noteRegion(error: unknown, region: string): unknown {
  const named = (error as ErrorWithResponse | undefined)?.$response?.headers?.[HEADER];
  const isElsewhere = [REFUSED, MOVED].includes(statusOf(error) ?? 0) && named !== undefined && named !== region;
  // The store's own text is not repeated, unless it has the form of a region.
  if (!isElsewhere || !REGION.test(named)) return error;
  return Object.assign(error as object, { code: 'PermanentRedirect', bucketRegion: named });
}

type BucketAccess = { client: S3Client; bucket: string; abortSignal: AbortSignal };

/** @param error of a HEAD @returns the reason that the store gives for a GET, if that is the region or the credentials, else the error */
export async function explainFailedHead(
  error: unknown,
  { client, bucket, abortSignal }: BucketAccess,
): Promise<unknown> {
  if (statusOf(error) !== REFUSED || isRegion(error)) return error;
  const command = new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 });
  return client.send(command, { abortSignal }).then(
    () => error,
    (reason: unknown) => (isReason(reason) ? reason : error),
  );
}

const codeOfFault = (error: unknown) => consequenceOf(codeOf(error), statusOf(error)).code;
const isRegion = (error: unknown) => codeOfFault(error) === 'wrong_region';
const isReason = (error: unknown) =>
  isRegion(error) || codeOfFault(error) === 'credentials_expired' || codeOfFault(error) === 'credentials_invalid';
