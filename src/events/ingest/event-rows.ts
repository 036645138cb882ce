/**
 * Encodes events as rows of COPY BINARY as soon as they are read. While the ingest transaction holds its locks, it only fills in instants
 * and persons.
 *
 * A row: int16 number of fields, then for each its length (int32) and value. The fields of fixed length come first, so they are at the same
 * offsets in every row.
 */
import type { GroupUpdate } from './group-changes.ts';
import type { PersonEffects } from '../persons/effects.ts';
import type { StateReference } from '../persons/observed-states.ts';
import type { EventPerson } from '../persons/person.ts';

/** Data of an event, other than its bytes, that the ingest transaction needs. */
export type EventSubject = {
  /** Canonical, lower case. */
  uuid: string;
  distinctId: string;
  /** Microseconds since 2000-01-01Z, as Postgres counts. */
  timestamp: bigint;
  /** Effects on its person. */
  person: PersonEffects;
  /** Change of the group that the event describes. */
  group?: GroupUpdate;
};

/** An event as its client sent it, checked: texts without NUL, `properties` as JSON text that `jsonb` accepts. */
export type NewEvent = EventSubject & { event: string; properties: string; elementsChain: string };

/** The rows of one request. */
export type EventRows = {
  projectId: number;
  /** Whether the events' `interval_time` is their `timestamp`, not when they are stored. */
  historical: boolean;
  /** All rows without their last field, which says what properties the person has. */
  bytes: Buffer;
  /** End of each row in `bytes`. */
  ends: number[];
  subjects: EventSubject[];
};

const FIXED_FIELDS = [
  'inserted_at',
  'interval_time',
  'timestamp',
  'created_at',
  'project_id',
  'row_bytes',
  'uuid',
  'person_id',
];
const TEXT_FIELDS = ['event', 'distinct_id', 'elements_chain', 'properties'];

/** Columns in the order of the encoding. @param last `person_properties` for copies, `person_state` for references */
const rowColumns = (last: string) => [...FIXED_FIELDS, ...TEXT_FIELDS, last].map((name) => `"${name}"`).join(', ');
export const COPYING_COLUMNS = rowColumns('person_properties');
export const REFERRING_COLUMNS = rowColumns('person_state');

const FIXED_LENGTHS = [8, 8, 8, 8, 4, 4, 16, 16];
/** Offset of each fixed field's value in a row. */
const [INSERTED_AT, INTERVAL_TIME, TIMESTAMP, CREATED_AT, PROJECT_ID, ROW_BYTES, UUID, PERSON_ID] = FIXED_LENGTHS.map(
  (_, field) => 2 + FIXED_LENGTHS.slice(0, field).reduce((at, length) => at + 4 + length, 4),
) as [number, number, number, number, number, number, number, number];
const FIXED_BYTES = PERSON_ID + 16;
const TEMPLATE = rowTemplate();
/** Bytes of a JSON line without its texts: names, quotes, punctuation, and the values of fixed length. */
const LINE_OVERHEAD =
  JSON.stringify({
    uuid: '-'.repeat(36),
    event: '',
    distinct_id: '',
    person_id: '-'.repeat(36),
    properties: '',
    person_properties: 0,
    elements_chain: '',
    timestamp: '2015-05-17T10:05:03.000000Z',
    created_at: '2015-05-17T10:05:03.000000Z',
    _inserted_at: '2015-05-17T10:05:03.000000Z',
  }).length - 1;

function rowTemplate(): Buffer {
  const template = Buffer.alloc(FIXED_BYTES);
  template.writeInt16BE(FIXED_FIELDS.length + TEXT_FIELDS.length + 1);
  let position = 2;
  for (const length of FIXED_LENGTHS) {
    template.writeInt32BE(length, position);
    position += 4 + length;
  }
  return template;
}

/**
 * @param createdAt when the request was received, microseconds since 2000-01-01Z
 */
export function encodeEvents(
  events: readonly NewEvent[],
  { projectId, historical, createdAt }: { projectId: number; historical: boolean; createdAt: bigint },
): EventRows {
  const bytes = Buffer.allocUnsafe(events.reduce((sum, event) => sum + largestRow(event), 0));
  const ends: number[] = [];
  let position = 0;
  for (const event of events) {
    const row = position;
    TEMPLATE.copy(bytes, row);
    bytes.writeBigInt64BE(event.timestamp, row + TIMESTAMP);
    bytes.writeBigInt64BE(createdAt, row + CREATED_AT);
    bytes.writeInt32BE(projectId, row + PROJECT_ID);
    writeUuid(bytes, row + UUID, event.uuid);
    position = writeText(bytes, row + FIXED_BYTES, event.event);
    position = writeText(bytes, position, event.distinctId);
    position = writeText(bytes, position, event.elementsChain);
    position = writeJson(bytes, position, event.properties);
    const textBytes = position - row - FIXED_BYTES;
    bytes.writeInt32BE(LINE_OVERHEAD + textBytes, row + ROW_BYTES);
    ends.push(position);
  }
  return { projectId, historical, bytes: bytes.subarray(0, position), ends, subjects: events.map(subjectOf) };
}

/** Copies the subject without the texts that are in the bytes. */
function subjectOf({ uuid, distinctId, timestamp, person, group }: NewEvent): EventSubject {
  return { uuid, distinctId, timestamp, person, ...(group && { group }) };
}

function writeUuid(bytes: Buffer, offset: number, uuid: string): void {
  bytes.write(uuid.replaceAll('-', ''), offset, 'hex');
}

/** Assumes three bytes of UTF-8 for each UTF-16 unit, the maximum: close enough for short texts. */
function largestRow({ event, distinctId, elementsChain, properties }: NewEvent): number {
  const variableBytes = Buffer.byteLength(elementsChain) + Buffer.byteLength(properties);
  return FIXED_BYTES + 64 + 3 * (event.length + distinctId.length) + variableBytes;
}

function writeText(bytes: Buffer, offset: number, text: string): number {
  const length = bytes.write(text, offset + 4);
  bytes.writeInt32BE(length, offset);
  return offset + 4 + length;
}

function writeJson(bytes: Buffer, offset: number, text: string): number {
  const length = bytes.write(text, offset + JSON_OVERHEAD);
  return writeJsonHead(bytes, offset, length) + length;
}

/** jsonb travels as its text behind the version byte 1. */
const JSON_OVERHEAD = 5;

function writeJsonHead(bytes: Buffer, offset: number, length: number): number {
  bytes.writeInt32BE(length + 1, offset);
  bytes[offset + 4] = 1;
  return offset + JSON_OVERHEAD;
}

/** Reference to one row of a request. */
export type RowReference = { rows: EventRows; index: number };

/** A row, and the person that it is stored with: a copy of its properties, or a reference to its state. */
export type StoredRow = { reference: RowReference; person: EventPerson; state: StateReference | undefined };

/** A reference: length of the field, and an int8. */
const STATE_BYTES = 12;

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);

/**
 * @param storedAt microseconds since 2000-01-01Z, from `ingest_now()`
 * @param versions of the states that are stored with the rows, by their places
 * @returns the protocol's CopyData ('d', int32 length, the file) and CopyDone ('c', 4) messages for these rows
 */
export function copyMessages(stored: readonly StoredRow[], storedAt: bigint, versions: readonly string[] = []): Buffer {
  const rowBytes = stored.reduce(
    (sum, { reference, person, state }) =>
      sum + lengthOf(reference) + (state ? STATE_BYTES : JSON_OVERHEAD + person.properties.byteLength),
    0,
  );
  const copyData = 4 + SIGNATURE.length + rowBytes + TRAILER.length;
  const message = Buffer.allocUnsafe(1 + copyData + 5);
  message[0] = 0x64;
  message.writeInt32BE(copyData, 1);
  let position = 5 + SIGNATURE.copy(message, 5);
  for (const { reference, person, state } of stored) {
    const { rows, index } = reference;
    const { timestamp } = rows.subjects[index]!;
    const row = position;
    position += rows.bytes.copy(message, row, rowStart(reference), rows.ends[index]);
    message.writeBigInt64BE(storedAt, row + INSERTED_AT);
    message.writeBigInt64BE(rows.historical && timestamp < storedAt ? timestamp : storedAt, row + INTERVAL_TIME);
    writeUuid(message, row + PERSON_ID, person.id);
    const { byteLength } = person.properties;
    message.writeInt32BE(message.readInt32BE(row + ROW_BYTES) + byteLength, row + ROW_BYTES);
    if (state) {
      const version = 'version' in state ? state.version : versions[state.place - 1]!;
      message.writeInt32BE(STATE_BYTES - 4, position);
      message.writeBigInt64BE(BigInt(version), position + 4);
      position += STATE_BYTES;
    } else {
      position = writeJsonHead(message, position, byteLength);
      position += person.properties.bytes.copy(message, position);
    }
  }
  position += TRAILER.copy(message, position);
  message[position] = 0x63;
  message.writeInt32BE(4, position + 1);
  return message;
}

function lengthOf({ rows, index }: RowReference): number {
  return rows.ends[index]! - rowStart({ rows, index });
}

function rowStart({ rows, index }: RowReference): number {
  return index === 0 ? 0 : rows.ends[index - 1]!;
}
