/** Names of buckets and regions, which become parts of host names. */
import { InvalidInput } from '../../../platform/errors.ts';

/** As AWS has required them since 2018. */
const BUCKET = /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/;

export const WRONG_BUCKET_NAME =
  'Must be the name of a bucket: 3 to 63 lower-case letters, digits, hyphens and dots, such as analytics-exports.';

export const isBucketName = (name: string): boolean => BUCKET.test(name);

export const isRegion = (region: string): boolean => REGION.test(region);

/** @throws InvalidInput naming the field */
export function checkRegion(region: string, field = 'region'): void {
  if (!isRegion(region))
    throw new InvalidInput('Must be a region such as us-east-1: lower-case letters, digits and hyphens.', field);
}
