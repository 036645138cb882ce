/** Determines when an event happened, by the clocks of its client and of the server. */
import { InvalidInput } from '../../../platform/errors.ts';
import { toIso } from '../../../platform/time/iso.ts';
import { parseInstant } from '../../../platform/wire/instant.ts';
import { isObject, type RawObject } from '../envelope.ts';
import { shortJson, type Note } from './notes.ts';

/** Microseconds since 2000-01-01Z. */
export type Clocks = {
  /** When the request was received. */
  now: bigint;
  /** Sending time by the client's clock. */
  sentAt: bigint | undefined;
  /** Whether events are placed by their timestamps, which are then taken as they are. */
  historical: boolean;
};

/** Largest lead of a client's clock, in microseconds. Timestamps further in the future are ignored. */
const LARGEST_LEAD = 23n * 3600n * 1_000_000n;

const EARLIEST = parseInstant('0001-01-01')!;

/**
 * Takes the time of a live event from `offset` (milliseconds before now), else from its timestamp. If the request names its sending time,
 * the timestamp is corrected by the lead of the client's clock. A historical event needs a timestamp, which is taken unchanged.
 * @param notes receives the reason if the event cannot have its timestamp
 * @returns undefined for the current instant
 * @throws InvalidInput for history without a timestamp
 */
export function readTimestamp(raw: RawObject, { now, sentAt, historical }: Clocks, notes: Note[]): bigint | undefined {
  const timestampValue = raw['timestamp'];
  const timestamp = parseInstant(timestampValue);
  if (historical) {
    if (timestamp !== undefined) return timestamp;
    throw new InvalidInput(
      'A historical event needs a readable timestamp, for example in ISO 8601.',
      'timestamp',
      'invalid_timestamp',
    );
  }
  const offset = offsetOf(raw);
  if (offset === undefined && timestamp === undefined) {
    if ((timestampValue ?? '') !== '')
      notes.push(ignoredTimestampNote(`its timestamp ${shortJson(timestampValue)} cannot be read. Use ISO 8601.`));
    return undefined;
  }
  const lead = offset === undefined ? leadOf(raw, { now, sentAt }) : undefined;
  const eventTime = offset === undefined ? timestamp! - (lead ?? 0n) : now - offset;
  if (eventTime >= EARLIEST && eventTime <= now + LARGEST_LEAD) return eventTime;
  const subject =
    offset === undefined ? `timestamp ${shortJson(timestampValue)}` : `offset ${shortJson(raw['offset'])}`;
  const clock = lead === undefined ? '' : `, by a clock that said "${toIso(sentAt!)}" when it was sent,`;
  notes.push(
    eventTime < EARLIEST
      ? ignoredTimestampNote(`its ${subject}${clock} is before the year 1.`)
      : {
          code: 'event_timestamp_in_future',
          detail: `${AS_OF_ARRIVAL} its ${subject}${clock} is more than 23 hours ahead.`,
        },
  );
  return undefined;
}

const AS_OF_ARRIVAL = 'The event was stored as of its arrival:';

function ignoredTimestampNote(why: string): Note {
  return { code: 'ignored_invalid_timestamp', detail: `${AS_OF_ARRIVAL} ${why}` };
}

/** @returns microseconds before now */
function offsetOf({ offset }: RawObject): bigint | undefined {
  if (typeof offset !== 'number' || !Number.isFinite(offset)) return undefined;
  return BigInt(Math.round(offset)) * 1000n;
}

/** @returns by how much the client's clock is ahead, undefined when that is not known or not to be corrected */
function leadOf({ properties }: RawObject, { now, sentAt }: Omit<Clocks, 'historical'>): bigint | undefined {
  const isExact = isObject(properties) && properties['$ignore_sent_at'] === true;
  return isExact || sentAt === undefined ? undefined : sentAt - now;
}
