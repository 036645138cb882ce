/** How the parts of a run went, between its workflow and its end. */
import type { Fault } from '../../src/platform/errors.ts';

/**
 * How the parts went. `type` is the class of the error that ended them, `message` a sentence for the user; `fault` is absent where a
 * workflow or an activity of an earlier version said so.
 */
export type RunEnding =
  { how: 'commit' } | { how: 'cancelled' } | { how: 'failed'; type: string; message: string; fault?: Fault };
