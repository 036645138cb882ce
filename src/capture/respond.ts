/** Answers of capture. */
import { answerFor, type ErrorBody } from '../http/error-body.ts';
import { preflightHeaders } from '../http/raw-answers.ts';
import { json, type Answer } from '../http/route.ts';
import type { LaneRequest } from '../lane/request.ts';

/** An event that was not stored: where it is in the request, and why. */
export type Rejected = { index: number; error: unknown };

/** Something was stored otherwise than it was asked for. */
export type Warning = { code: string; detail: string };

export const CAPTURE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const;

/** To a request that brings no events. */
export const takenAnswer: Answer = json(200, { status: 1 });

/**
 * `{"status": 1}` and nothing more is what SDKs wait for.
 * @throws the error of a rejected event when it is not about the event
 */
export function storedAnswer({ rejected, warnings }: { rejected: Rejected[]; warnings: Warning[] }): Answer {
  return json(200, {
    status: 1,
    ...(rejected.length > 0 && { rejected: rejected.map(describe) }),
    ...(warnings.length > 0 && { warnings }),
  });
}

function describe({ index, error }: Rejected) {
  const answer = answerFor(error);
  if (!answer) throw error;
  return { index, ...(answer.body as ErrorBody) };
}

/** What a browser asks before it sends anything but a plain form. */
export function preflightAnswer(request: LaneRequest): Answer {
  return json(200, { status: 1 }, preflightHeaders(request));
}
