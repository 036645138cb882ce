/** What capture tells a project about events that it did not store. */
import type { IngestionWarning } from '../events/warnings.ts';
import { answerFor, type ErrorBody } from '../http/error-body.ts';
import { isObject } from './envelope.ts';
import { LIMITS } from './limits.ts';
import type { Rejected } from './respond.ts';
import { canonicalUuid } from './uuid.ts';

/** @param events of the request, as they were sent */
export function rejectionWarnings(rejected: readonly Rejected[], events: readonly unknown[]): IngestionWarning[] {
  return rejected.flatMap(({ index, error }) => warningsOf(error, nameOf(events[index])));
}

type EventName = Pick<IngestionWarning, 'distinctId' | 'eventUuid'>;

/** @returns none for an error that is not the client's */
export function warningsOf(error: unknown, name: EventName): IngestionWarning[] {
  const answer = answerFor(error);
  if (!answer) return [];
  const { code, detail } = answer.body as ErrorBody;
  return [{ code, detail, ...name }];
}

/** As far as it can be named: what was rejected may be anything. */
function nameOf(event: unknown): EventName {
  if (!isObject(event)) return {};
  const { distinct_id: id, uuid } = event;
  const eventUuid = typeof uuid === 'string' ? canonicalUuid(uuid) : undefined;
  return {
    ...(typeof id === 'string' && id !== '' && { distinctId: id.slice(0, LIMITS.distinctIdLength) }),
    ...(eventUuid !== undefined && { eventUuid }),
  };
}
