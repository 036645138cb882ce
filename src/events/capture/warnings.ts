/** Warnings to a project about events that were not stored, or not as they were sent. */
import { InvalidInput } from '../../platform/errors.ts';
import type { IngestionWarning } from '../warnings/warnings.ts';
import { answerFor, type ErrorBody } from '../../platform/http/error-body.ts';
import { cut } from '../../platform/wire/cut.ts';
import { REPLAY_NOT_KEPT } from './dropped.ts';
import { isObject } from './envelope.ts';
import { LIMITS } from './limits.ts';
import type { Rejected, Warning } from './respond.ts';
import { canonicalUuid } from './uuid.ts';

export const NOT_STORABLE = new InvalidInput('The event holds a value that cannot be stored.', null, 'not_storable');

export const STORED_AS_LIVE: Warning = {
  code: 'historical_placement_not_allowed',
  detail:
    'The events were stored as of now: placing them by their timestamps needs a key with the scope event:write, ' +
    'or the project setting historical_from_project_key.',
};

/** @param events of the request, as they were sent */
export function rejectionWarnings(rejected: readonly Rejected[], events: readonly unknown[]): IngestionWarning[] {
  return rejected.flatMap(({ index, error }) => warningsOf(error, nameOf(events[index])));
}

type EventName = Pick<IngestionWarning, 'distinctId' | 'eventUuid'>;

/** @returns none for an error that is not the client's */
export function warningsOf(error: unknown, name: EventName = {}): IngestionWarning[] {
  const answer = answerFor(error);
  if (!answer) return [];
  const { code, detail } = answer.body as ErrorBody;
  // One warning a day, because pages send replay every few seconds.
  return [error === REPLAY_NOT_KEPT ? { code, detail, daily: true } : { code, detail, ...name }];
}

/** Name of the event as far as there is one: a rejected event may be anything. */
function nameOf(event: unknown): EventName {
  if (!isObject(event)) return {};
  const { distinct_id: id, uuid } = event;
  const eventUuid = typeof uuid === 'string' ? canonicalUuid(uuid) : undefined;
  return {
    ...(typeof id === 'string' && id !== '' && { distinctId: cut(id, LIMITS.distinctIdLength) }),
    ...(eventUuid !== undefined && { eventUuid }),
  };
}
