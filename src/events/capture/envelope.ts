/**
 * The envelope around the events of a request: one event, an array of events, or
 * `{api_key, batch, historical_migration?, sent_at?}`, all three on every path.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidInput, NotAuthenticated, TooLarge } from '../../platform/errors.ts';
import type { Fields } from '../../platform/wire/fields.ts';
import { LIMITS } from './limits.ts';
import { answerNothing, answerStored, type AnswerOutcome } from './respond.ts';

/** A JSON object whose properties are not checked yet. */
export type RawObject = Readonly<Record<string, unknown>>;

/** Query and headers of a request. */
export type RequestContext = { query: Fields; headers: IncomingHttpHeaders };

const EARLIEST_SENT_MS = Date.UTC(2021);

export type Envelope = {
  token: string;
  /** Not checked yet: may be anything. */
  events: readonly unknown[];
  /** The sender asks to place the events by their timestamps. */
  historical: boolean;
  sentAt: unknown;
  /** Errors of events that were found while the envelope was opened. */
  faults?: ReadonlyMap<unknown, InvalidInput> | undefined;
  answer: AnswerOutcome;
};

/** @throws InvalidInput, TooLarge or NotAuthenticated, as the request deserves */
export type OpenEnvelope = (body: unknown, surroundings: RequestContext) => Envelope;

/**
 * If query and body differ, the body's token and `sent_at` win.
 * @param eventName for events that have none
 * @throws InvalidInput for any other form, or without an event
 * @throws TooLarge for too many events
 * @throws NotAuthenticated without a token, with differing tokens, or with a token that no project can have
 */
export function parseEnvelope(body: unknown, { query }: RequestContext, eventName?: string): Envelope {
  const fields = isObject(body) ? body : {};
  const events = eventsOf(body);
  checkCount(events);
  return {
    token: usableToken(tokenOf(fields) ?? commonToken(events) ?? query('api_key') ?? query('token')),
    events: eventName === undefined ? events : events.map((event) => withName(event, eventName)),
    historical: fields['historical_migration'] === true,
    // posthog-python before 3 uses the second spelling.
    sentAt: fields['sent_at'] ?? fields['sentAt'] ?? sentAtOf(query('_')),
    // Browsers send beacons while a page is closing, so no client reads the answer.
    answer: query('beacon') === '1' ? answerNothing : answerStored,
  };
}

/** @throws InvalidInput for none @throws TooLarge for more events than a request may hold */
export function checkCount(events: readonly unknown[]): void {
  if (events.length === 0) throw new InvalidInput('The request contains no events.', null, 'empty_batch');
  // tooth: capture-events
  if (events.length > LIMITS.eventsPerRequest) {
    throw new TooLarge(`A request may hold ${LIMITS.eventsPerRequest} events; this one holds ${events.length}.`);
  }
}

/** Sending time in milliseconds. SDKs also send seconds here, or values that only look like a time; both are ignored. */
function sentAtOf(text: string | undefined): number | undefined {
  const ms = Number(text);
  return ms >= EARLIEST_SENT_MS ? ms : undefined;
}

function withName(event: unknown, name: string): unknown {
  return isObject(event) && (event['event'] ?? undefined) === undefined ? { ...event, event: name } : event;
}

export function isObject(value: unknown): value is RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns the distinct id as sent, which may be anything */
export function distinctIdIn(event: RawObject): unknown {
  const { properties } = event;
  return (
    event['distinct_id'] ?? event['$distinct_id'] ?? (isObject(properties) ? properties['distinct_id'] : undefined)
  );
}

function eventsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (!isObject(body)) {
    throw new InvalidInput('The body must be an event, an array of events, or an object with a `batch` of events.');
  }
  const { batch } = body;
  if (batch === undefined) return [body];
  if (!Array.isArray(batch)) throw new InvalidInput('This field must be an array of events.', 'batch');
  return batch;
}

function tokenOf(object: RawObject): unknown {
  return object['api_key'] ?? object['token'] ?? object['$token'];
}

/** Token that all events share, for an envelope without a token. @throws NotAuthenticated for differing tokens */
function commonToken(events: readonly unknown[]): unknown {
  let common: unknown;
  for (const event of events) {
    if (!isObject(event)) continue;
    const { properties } = event;
    const token = tokenOf(event) ?? (isObject(properties) ? properties['token'] : undefined);
    if (token === undefined || token === common) continue;
    // tooth: capture-one-key
    if (common !== undefined) throw new NotAuthenticated('The events of one request name different API keys.');
    common = token;
  }
  return common;
}

/**
 * @returns the key without space around it
 * @throws NotAuthenticated for a key that no project can have
 */
export function usableToken(token: unknown): string {
  if (token === undefined || token === null) {
    throw new NotAuthenticated('No API key was given: name the project in `api_key`.');
  }
  if (typeof token !== 'string') throw invalidKey('it is not text');
  const trimmed = token.trim();
  if (trimmed === '') throw invalidKey('it is empty');
  if (trimmed.length > 64) throw invalidKey('it is longer than 64 characters');
  if (trimmed.startsWith('phx_')) throw invalidKey(`it is a personal API key. ${PUBLIC_KEY_WANTED}`);
  if (trimmed.startsWith('phs_')) throw invalidKey(`it is a secret key of a project. ${PUBLIC_KEY_WANTED}`);
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw invalidKey('it holds other characters than a key has');
  return trimmed;
}

const PUBLIC_KEY_WANTED = 'Send the public key of the project, which begins with phc_';

function invalidKey(reason: string): NotAuthenticated {
  return new NotAuthenticated(`The API key is not valid: ${reason}.`);
}
