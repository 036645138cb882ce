/** Turns a request into rows: finds its project and its sender's rights, then reads and encodes its events. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Salts } from '../../cookieless/salts.ts';
import type { Pool } from '../../../platform/db/connection.ts';
import { NotAuthenticated, Unavailable } from '../../../platform/errors.ts';
import { encodeEvents, type EventRows } from '../../ingest/event-rows.ts';
import { createGroupTypes, type GroupTypes } from '../../ingest/group-types.ts';
import type { IngestionWarning } from '../../warnings/warnings.ts';
import type { Gatekeeper } from '../../../platform/http/access.ts';
import { createRateLimit, type RateLimit } from '../../../people/keys/rate-limits.ts';
import type { LaneRequest } from '../../../platform/lane/request.ts';
import type { ClientAddress } from '../../../platform/wire/client-address.ts';
import { createLine } from '../../../platform/fairness/fair-queue.ts';
import type { Locate } from '../../../platform/wire/geoip.ts';
import { fromMilliseconds } from '../../../platform/time/iso.ts';
import { parseInstant } from '../../../platform/wire/instant.ts';
import type { Memory } from '../../../platform/wire/memory.ts';
import { isCookieless, type Cookieless } from './cookieless.ts';
import { createEnrichment } from './enrich.ts';
import type { OpenEnvelope } from '../envelope.ts';
import { LIMITS } from '../limits.ts';
import { readEvents, type EventsReception, type ReadEvents } from './read-events.ts';
import { groupTypesIn } from './read-groups.ts';
import { receive, type Received } from '../receive.ts';
import type { AnswerOutcome, Warning } from '../respond.ts';
import { createTurns } from '../turns.ts';
import { rejectionWarnings, STORED_AS_LIVE } from '../warnings.ts';

/** Fields of a project that capture needs. */
export type CapturedProject = {
  id: number;
  /** Whether the public key alone may place events in the past. */
  historicalFromProjectKey: boolean;
  /** Whether events are stored without `$ip`. */
  anonymizeIps: boolean;
  /** 1: visitors without cookies are told apart for a day; 0: their events are dropped. */
  cookielessServerHashMode: 0 | 1;
  /** Instant before which events are not kept; null: all are. ISO. */
  retainedFrom: string | null;
};

export type ReadingOptions = {
  pool: Pool;
  projectByToken(token: string): Promise<CapturedProject | undefined>;
  gatekeeper: Pick<Gatekeeper, 'authenticate' | 'enter'>;
  clientAddress: ClientAddress;
  /** Absent: events get no `$geoip_*` properties. */
  locate?: Locate | undefined;
  salts: Pick<Salts, 'getTodaysSalt'>;
  /** Limits of each project, and of each secret key that sends history; such history does not count towards the project's limit. */
  eventsPerSecond: { project: number; key: number };
  /** Resolves when a large body of the request may be inflated; shared with requests whose bodies are not read. */
  enterInflation(request: LaneRequest): Promise<() => void>;
  /** Counts the events of projects; shared with requests whose bodies are not read. */
  projectLimit: RateLimit<number>;
};

export type ReadOptions = { limit: number; open: OpenEnvelope; memory: Memory };

/** A request whose events are encoded: its parsed body is gone. */
export type ReadRequest = Omit<ReadEvents, 'events'> & {
  rows: EventRows;
  /** Warnings for the client. */
  warnings: Warning[];
  /** Warnings for the project. */
  ingestionWarnings: IngestionWarning[];
  answer: AnswerOutcome;
};

/**
 * @returns a function that turns a request into the rows of its storable events. The function throws what `receive` and
 * `gatekeeper` throw, and NotAuthenticated, Throttled and Unavailable
 */
export function createReading(options: ReadingOptions) {
  const { pool, projectByToken, gatekeeper, clientAddress, locate, salts, eventsPerSecond, projectLimit } = options;
  const { enterInflation } = options;
  const enrich = createEnrichment(locate);
  const groupTypes = createGroupTypes(pool);
  const takeTurn = createTurns();
  const line = createLine();
  const keyLimit = createRateLimit<string>(eventsPerSecond.key);

  /** A separate function, so the parsed body can be freed while its rows wait for the commit. */
  async function read(request: LaneRequest, options: ReadOptions): Promise<ReadRequest> {
    let leave: (() => void) | undefined;
    const enterLine = async (sender: string) => void (leave = await line(sender));
    try {
      const received = await receive(request, {
        ...options,
        enterInflation: () => enterInflation(request),
        takeTurn,
        enterLine,
      });
      return await readReceived(request, options.memory, received);
    } finally {
      leave?.();
    }
  }

  async function readReceived(request: LaneRequest, memory: Memory, received: Received): Promise<ReadRequest> {
    const project = await findProject(received.token);
    memory.belongTo(received.token);
    const { historical, keyId } = received.historical
      ? await authorizePlacement(project, request, received.token)
      : LIVE_PLACEMENT;
    if (keyId === undefined) projectLimit.charge(project.id, received.events.length);
    else keyLimit.charge(keyId, received.events.length);
    // The sender of historical events is not the person whom they are about.
    const address = historical ? '' : clientAddress(request);
    enrich(received.events, { address, anonymize: project.anonymizeIps });
    const cookieless = historical ? AS_HISTORY : await loadCookieless(project, received.events, address);
    const now = fromMilliseconds(Date.now());
    const { escapes, faults, answer } = received;
    const keptFrom = historical && project.retainedFrom !== null ? parseInstant(project.retainedFrom) : undefined;
    const reception = { historical, now, keptFrom, sentAt: parseInstant(received.sentAt), escapes, cookieless, faults };
    const groupTypes = await findGroupTypes(project.id, received.events, reception);
    const { events, indexes, rejected } = await readEvents(received.events, { ...reception, groupTypes });
    const rows = encodeEvents(events, { projectId: project.id, historical, createdAt: now });
    memory.hold(rows.bytes.length + events.length * LIMITS.bytesAroundRow);
    const warnings = received.historical && !historical ? [STORED_AS_LIVE] : [];
    return {
      rows,
      indexes,
      rejected,
      warnings,
      ingestionWarnings: [...warnings, ...rejectionWarnings(rejected, received.events)],
      answer,
    };
  }

  async function findProject(token: string): Promise<CapturedProject> {
    const project = await projectByToken(token).catch((cause: unknown) => {
      throw new Unavailable('Projects cannot be looked up right now.', 5, { cause });
    });
    if (!project) throw new NotAuthenticated('The API key is not valid: no project has it.');
    return project;
  }

  async function loadCookieless(
    { id: projectId, cookielessServerHashMode: mode }: CapturedProject,
    rawEvents: readonly unknown[],
    address: string,
  ): Promise<Cookieless> {
    if (mode === 0 || !rawEvents.some(isCookieless)) return NOT_ALLOWED;
    return { allowed: true, projectId, salt: await salts.getTodaysSalt(projectId), address };
  }

  /** A project never gets more than five types, so rejected events must not use them up. */
  async function findGroupTypes(
    projectId: number,
    rawEvents: readonly unknown[],
    reception: Omit<EventsReception, 'groupTypes'>,
  ): Promise<GroupTypes> {
    const knownTypes = groupTypes.find(projectId, groupTypesIn(rawEvents));
    if (knownTypes) return knownTypes;
    // All events are read once more for new types, which are rare.
    await yieldToOthers();
    const { indexes } = await readEvents(rawEvents, { ...reception, groupTypes: new Map() });
    await yieldToOthers();
    const names = groupTypesIn(indexes.map((index) => rawEvents[index]));
    try {
      return groupTypes.find(projectId, names) ?? (await groupTypes.make(projectId, names));
    } catch (cause) {
      throw new Unavailable('Groups cannot be looked up right now.', 5, { cause });
    }
  }

  /** The public key must not write history, because with it anyone could rewrite data that was delivered long ago. */
  async function authorizePlacement(project: CapturedProject, request: LaneRequest, token: string): Promise<Placement> {
    if (project.historicalFromProjectKey) return { historical: true };
    const { authorization } = request.headers;
    // A page of ours sends its session, and the token that only such a page knows.
    const hasSession = request.method === 'POST' && request.headers['x-csrftoken'] !== undefined;
    if (!hasSession && (authorization === undefined || authorization.endsWith(` ${token}`))) return LIVE_PLACEMENT;
    const caller = await gatekeeper.authenticate(request);
    await gatekeeper.enter(caller, project.id, { scope: 'event:write' });
    return { historical: true, ...(caller.keyId !== null && { keyId: caller.keyId }) };
  }

  return read;
}

/** Whether events are placed as history, and the secret key that allowed it. */
type Placement = { historical: boolean; keyId?: string };
const LIVE_PLACEMENT: Placement = { historical: false };

const AS_HISTORY: Cookieless = { allowed: 'as history' };
const NOT_ALLOWED: Cookieless = { allowed: false };
