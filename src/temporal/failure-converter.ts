/** Failures whose messages are payloads, so that the codec seals them too. In workflows and outside of them. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
