/** Makes capture's answers. */
import { answerFor, type ErrorBody } from '../../platform/http/error-body.ts';
import { preflightHeaders } from '../../platform/http/raw-answers.ts';
import { json, noBody, type Answer } from '../../platform/http/route.ts';
import type { LaneRequest } from '../../platform/lane/request.ts';

/** An event that was not stored: its position in the request, and the reason. */
export type Rejected = { index: number; error: unknown };

/** The reason why all events of a request were stored differently from how they were sent. */
export type Warning = { code: string; detail: string };

/** An event that was stored differently from how it was sent: its position in the request, and the reason. */
export type Warned = { index: number; code: string };

/** Answer to a request whose body is not looked at: HEAD, and session replay. */
export const acceptedAnswer: Answer = json(200, { status: 1 });

/** Results of a request's events. */
export type Outcome = {
  rejected: readonly Rejected[];
  /** May be among the rejected, too. */
  warned: readonly Warned[];
  warnings: readonly Warning[];
  /** If none of the events was stored: the first error, except for events that are dropped on purpose. */
  refusal?: unknown;
};

/**
 * Makes the answer of a request from the results of its events.
 * @throws the `refusal`, except in `answerByUuid`, which answers for each event; the error of a rejected event that is not the client's fault
 */
export type AnswerOutcome = (outcome: Outcome) => Answer;

/** SDKs expect exactly `{"status": 1}`. */
export const answerStored: AnswerOutcome = ({ rejected, warnings, refusal }) => {
  if (refusal) throw refusal;
  return json(200, {
    status: 1,
    ...(rejected.length > 0 && { rejected: rejected.map(describe) }),
    ...(warnings.length > 0 && { warnings }),
  });
};

export const answerNothing: AnswerOutcome = ({ refusal }) => {
  if (refusal) throw refusal;
  return noBody(204);
};

type Result = { result: 'ok' | 'warning' | 'drop'; details?: string };

/** @param uuids of all events, as they were sent */
export function answerByUuid(uuids: readonly string[]): AnswerOutcome {
  return ({ rejected, warned, warnings: [warning] }) => {
    const storedResult: Result = warning ? { result: 'warning', details: warning.code } : { result: 'ok' };
    const results = uuids.map((uuid): [string, Result] => [uuid, storedResult]);
    for (const { index, code } of warned) results[index]![1] = { result: 'warning', details: code };
    for (const rejection of rejected)
      results[rejection.index]![1] = { result: 'drop', details: describe(rejection).code };
    return json(200, { results: Object.fromEntries(results) });
  };
}

function describe({ index, error }: Rejected): { index: number } & ErrorBody {
  const answer = answerFor(error);
  if (!answer) throw error;
  return { index, ...(answer.body as ErrorBody) };
}

/** Answer to a preflight, which a browser sends before anything but a plain form. */
export function preflightAnswer(request: LaneRequest): Answer {
  return json(200, { status: 1 }, preflightHeaders(request));
}
