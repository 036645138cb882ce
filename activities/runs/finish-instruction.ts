/** The workflow's instruction to the activity `finishRun`: commit the run, or end it without a delivery. */
import type { Fault } from '../../src/platform/errors.ts';

/**
 * `commit`: all parts are staged, so commit them. `type` is the class of the error that ended the
 * work, `message` a sentence for the user. `fault` is absent if a workflow or an activity of an earlier version reported the error.
 */
export type FinishInstruction =
  { how: 'commit' } | { how: 'cancelled' } | { how: 'failed'; type: string; message: string; fault?: Fault };
