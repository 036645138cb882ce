/** Failures whose messages are payloads, so that the codec encrypts them too. In workflows and outside of them. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
