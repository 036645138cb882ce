/** The memory that a request for flags takes once its body is parsed: it is kept until the flags are decided, which may wait for Postgres. */
import { valuesIn } from '../../platform/wire/value-count.ts';
import { LIMITS } from './limits.ts';

/** V8 takes up to 92 bytes for a member or an element, as measured, on top of its text: a slot in a growing table, its name and its header. */
const BYTES_OF_VALUE = 96;
/** Values of smaller bodies are not counted, which takes as long as to decide a flag. The factor is the largest that was measured. */
const SMALL_BYTES = 512;
const TIMES_SMALL = 16;

/**
 * @param json body of a request, which may hold more values than are accepted
 * @returns bytes that its values take at most, the body itself aside
 */
export function parsedBytes(json: Buffer): number {
  if (json.length <= SMALL_BYTES) return TIMES_SMALL * json.length;
  return json.length + BYTES_OF_VALUE * valuesIn(json, LIMITS.values);
}
