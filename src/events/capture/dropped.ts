/** Events that are accepted and not stored. */
import { InvalidInput } from '../../platform/errors.ts';
import type { RawObject } from './envelope.ts';

/** The event is not stored, but its request still gets 200, because SDKs treat any other answer as a failure of their own. */
export class Dropped extends InvalidInput {}

/** Events of session replay, by upstream's names. */
const REPLAY = new Set<unknown>(['$snapshot', '$snapshot_items', '$performance_event']);

export const REPLAY_NOT_KEPT = new Dropped(
  'Session replay was sent, which is not kept here: switch it off where the SDK is set up.',
  'event',
  'session_replay_not_kept',
);

export const NOT_KEPT_FOR_SO_LONG = new Dropped(
  'The event happened longer ago than this project keeps events.',
  'timestamp',
  'older_than_retention',
);

/** @throws Dropped for an event of session replay, whatever else is wrong with the event */
export function checkIsKept({ event }: RawObject): void {
  // tooth: replay-events
  if (REPLAY.has(event)) throw REPLAY_NOT_KEPT;
}
