import { DestinationUnavailable } from '../../platform/errors.ts';

/**
 * The failure of a request that an SDK repeats by itself; undefined for an answer that ends the request, such as 404.
 * @param status undefined when there was no answer
 * @param translate throws the failure in our words
 */
export function repeatedFailure(status: number | undefined, translate: () => never): Error | undefined {
  if (status !== undefined && status < 500 && status !== 429) return undefined;
  try {
    return translate();
  } catch (failure) {
    return failure instanceof DestinationUnavailable ? failure : undefined;
  }
}
