/** Estimates the memory of a parsed request, which is held until the flags are decided, possibly waiting for Postgres. */
import { countValues } from '../../platform/wire/value-count.ts';
import { LIMITS } from './limits.ts';

/** Bytes per field or list element on top of its text (a table slot, a name, a header); up to 92 were measured in V8. */
const MAX_BYTES_PER_VALUE = 96;
/** Bodies up to this size are estimated by a factor, the largest measured, because counting values takes as long as deciding a flag. */
const SMALL_BODY_BYTES = 512;
const SMALL_BODY_FACTOR = 16;

/**
 * @param json body of a request, possibly with more values than are accepted
 * @returns an upper bound of the bytes that its values take, without the body itself
 */
export function parsedBytes(json: Buffer): number {
  if (json.length <= SMALL_BODY_BYTES) return SMALL_BODY_FACTOR * json.length;
  return json.length + MAX_BYTES_PER_VALUE * countValues(json, LIMITS.values);
}
