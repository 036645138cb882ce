/** Outcome of a run's parts, passed from its workflow to the activity that ends it. */
import type { Fault } from '../../src/platform/errors.ts';

/**
 * `commit`: all parts are staged, so the run commits. `type` is the class of the error that ended the parts, `message` a sentence for the
 * user. `fault` is absent if a workflow or an activity of an earlier version reported the outcome.
 */
export type RunEnding =
  { how: 'commit' } | { how: 'cancelled' } | { how: 'failed'; type: string; message: string; fault?: Fault };
