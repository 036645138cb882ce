/**
 * Parses large bodies a few events at a time: twenty megabytes in one go would keep every other request waiting for a quarter of a second.
 *
 * The bytes are scanned once to find where events begin and end; each piece, and the rest of the body, is then parsed as JSON of its own.
 */
import { isUtf8 } from 'node:buffer';
import { MalformedRequest, TooLarge } from '../../platform/errors.ts';
import { hasEscapes, parseInTurns, withoutByteOrderMark, type ParsedJson } from '../../platform/wire/json.ts';
import { endOfText } from '../../platform/wire/value-count.ts';
import { isObject } from './envelope.ts';
import { LIMITS } from './limits.ts';

/** A piece ends with the event that reaches either size. Parsing takes about ten milliseconds for the values, and one for the bytes. */
const PIECE_VALUES = 10_000;
const PIECE_BYTES = 512 * 1024;
/** Bytes scanned in one step, which takes about ten milliseconds; more only for a longer text. */
const SCANNED_BYTES = 4 * 1024 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;
const BATCH = Buffer.from('"batch"');
const BATCH_ESCAPED = /^"(?:b|\\u0062)(?:a|\\u0061)(?:t|\\u0074)(?:c|\\u0063)(?:h|\\u0068)"$/;
/** Length in bytes of the name with all characters escaped. */
const LONGEST_BATCH = String.raw`"\u0062\u0061\u0074\u0063\u0068"`.length;

/**
 * @param json UTF-8
 * @param maxValues of the body, counted as in `value-count.ts`; each event, and the rest of the body, may hold `LIMITS.values`
 * @param takeTurn awaited between pieces, so other requests have their turns
 * @returns what `parseJson` returns
 * @throws TooLarge for more values
 * @throws MalformedRequest for a body that is not JSON
 */
export async function parseBatch(
  json: Buffer,
  maxValues: number,
  takeTurn: () => Promise<void> | undefined,
): Promise<ParsedJson> {
  if (!isUtf8(json)) throw new MalformedRequest('The body is not valid UTF-8.');
  const steps = parsingPieces(withoutByteOrderMark(json), maxValues);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { value: step.value, escapes: hasEscapes(json) };
    await takeTurn();
  }
}

/** Yields between steps that take some milliseconds each. */
function* parsingPieces(json: Buffer, maxValues: number): Generator<void, unknown, void> {
  const scan = new Scan(json, maxValues);
  while (scan.advance()) yield;
  const { list, pieces } = scan;
  if (!list) return yield* parseInTurns(json, JSON.parse);
  const envelope = yield* parseInTurns(
    Buffer.concat([json.subarray(0, list.start), json.subarray(list.end)]),
    JSON.parse,
  );
  const events: unknown[] = [];
  for (const { start, end } of pieces) {
    yield;
    const elements = (yield* parseInTurns(json.subarray(start, end), parseElements)) as unknown[];
    // A comma has an event on either side.
    if (elements.length === 0 && pieces.length > 1) throw new MalformedRequest('The body is not valid JSON.');
    for (const event of elements) events.push(event);
  }
  if (Array.isArray(envelope)) return events;
  // If there are two properties of this name, the last one counts, and only the list that was cut out is empty.
  if (isObject(envelope) && isEmptyList(envelope['batch'])) return { ...envelope, batch: events };
  return envelope;
}

function parseElements(text: string): unknown {
  return JSON.parse(`[${text}]`);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

type Range = { start: number; end: number };

/**
 * Finds the list of events, which is the whole body or its property `batch`, and cuts the list into pieces. A malformed body is cut,
 * too: its unmatched brackets are found when the pieces and the rest of the body are parsed.
 */
class Scan {
  /** Range inside the brackets; absent: the body has no list. */
  list: Range | undefined;
  /** Ranges of one or several events each, with the commas between them. */
  pieces: Range[] = [];

  readonly #json: Buffer;
  readonly #maxValues: number;
  #at = 0;
  #depth = 0;
  /** Depth inside the list; 0 while the scan is not in it. */
  #listDepth = 0;
  /** The latest text in the outermost object, and whether a colon makes it a name. */
  #name: Range = { start: 0, end: 0 };
  #isPropertyName = false;
  #values = 0;
  #valuesAround = 0;
  #pieceStart = 0;
  /** Number of values before the current piece, and before the current event. */
  #valuesBeforePiece = 0;
  #valuesBeforeEvent = 0;

  constructor(json: Buffer, maxValues: number) {
    this.#json = json;
    this.#maxValues = maxValues;
  }

  /** @returns whether bytes are left @throws TooLarge */
  advance(): boolean {
    const json = this.#json;
    const end = Math.min(this.#at + SCANNED_BYTES, json.length);
    let position = this.#at;
    for (; position < end; position += 1) {
      const byte = json[position]!;
      if (byte === QUOTE) position = this.#text(position);
      else if (byte === COLON) this.#isPropertyName = this.#depth === 1;
      else if (byte === COMMA) this.#comma(position);
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(position, byte);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(position);
    }
    this.#at = position;
    return position < json.length;
  }

  #text(position: number): number {
    const end = endOfText(this.#json, position + 1);
    if (this.#depth === 1) {
      this.#name = { start: position, end: end + 1 };
      this.#isPropertyName = false;
    }
    return end;
  }

  #comma(position: number): void {
    this.#count();
    if (this.#depth !== this.#listDepth) return;
    this.#valuesBeforeEvent = this.#values;
    const values = this.#values - this.#valuesBeforePiece;
    if (values > PIECE_VALUES || position - this.#pieceStart > PIECE_BYTES) this.#cut(position);
  }

  #open(position: number, byte: number): void {
    this.#count();
    this.#depth += 1;
    if (byte !== OPEN_LIST || this.#listDepth > 0 || !this.#isOfEvents()) return;
    // An earlier list of this name is ignored, and stays in the rest of the body.
    this.#valuesAround = this.#values;
    this.#checkAround();
    this.list = { start: position + 1, end: this.#json.length };
    this.pieces = [];
    this.#listDepth = this.#depth;
    this.#pieceStart = position + 1;
    this.#valuesBeforeEvent = this.#valuesBeforePiece = this.#values;
  }

  #isOfEvents(): boolean {
    if (this.#depth === 1) return true;
    return this.#depth === 2 && this.#isPropertyName && isBatch(this.#json.subarray(this.#name.start, this.#name.end));
  }

  #close(position: number): void {
    if (this.#listDepth > 0 && this.#depth === this.#listDepth) {
      this.#cut(position);
      this.list!.end = position;
      this.#listDepth = 0;
    }
    this.#depth -= 1;
  }

  #cut(position: number): void {
    this.pieces.push({ start: this.#pieceStart, end: position });
    this.#pieceStart = position + 1;
    this.#valuesBeforePiece = this.#values;
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > this.#maxValues) throw tooManyValues('The body', this.#maxValues);
    if (this.#listDepth > 0) {
      if (this.#values - this.#valuesBeforeEvent > LIMITS.values) throw tooManyValues('An event', LIMITS.values);
      return;
    }
    this.#valuesAround += 1;
    this.#checkAround();
  }

  #checkAround(): void {
    // tooth: capture-values-around
    if (this.#valuesAround > LIMITS.values) throw tooManyValues('What is around the events', LIMITS.values);
  }
}

/** @param name of a property, as JSON: its characters may be escaped */
function isBatch(name: Buffer): boolean {
  if (name.equals(BATCH)) return true;
  return name.length <= LONGEST_BATCH && name.includes(BACKSLASH) && BATCH_ESCAPED.test(name.toString('latin1'));
}

function tooManyValues(subject: string, max: number): TooLarge {
  return new TooLarge(`${subject} holds more than ${Math.floor(max)} values.`);
}
