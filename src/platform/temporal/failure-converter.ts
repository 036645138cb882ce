/** Converts failures so that their messages are payloads, which the codec encrypts too, inside and outside of workflows. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
