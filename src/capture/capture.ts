/**
 * `/capture/`, `/batch/` and the other paths of `paths.ts`: events in, `{"status": 1}` out once they are committed.
 *
 * These paths are answered before the application's router: their work is a few microseconds, and so must be what surrounds it.
 *
 * A batch is taken in part: its good events are stored, and `rejected` names the others by their index. A request none of
 * whose events can be stored is refused with the first one's error.
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Salts } from '../cookieless/salts.ts';
import type { Pool } from '../db/connection.ts';
import { MethodNotAllowed, NotAuthenticated, Unavailable } from '../errors.ts';
import { encodeEvents, type EventRows } from '../events/event-rows.ts';
import { groupTypesOf, type GroupTypes } from '../events/group-types.ts';
import { createIngest, MOST_DISTINCT_IDS } from '../events/ingest.ts';
import type { IngestionWarning } from '../events/warnings.ts';
import type { Gatekeeper } from '../http/access.ts';
import { answerFor, serverError } from '../http/error-body.ts';
import { pageHeaders, replyWith } from '../http/raw-answers.ts';
import type { Answer } from '../http/route.ts';
import { createRateLimit } from '../identity/rate-limits.ts';
import type { Lane, LaneRequest, Reply } from '../lane/request.ts';
import { describeError } from '../secrets/redact.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ClientAddress } from '../wire/client-address.ts';
import type { Locate } from '../wire/geoip.ts';
import { fromMilliseconds, parseInstant } from '../wire/instant.ts';
import { createMemory, type Memory } from '../wire/memory.ts';
import { Dropped, isCookieless, type Cookieless } from './cookieless.ts';
import { createEnrichment } from './enrich.ts';
import { createGroupCommit } from './group-commit.ts';
import { LIMITS } from './limits.ts';
import type { OpenEnvelope } from './envelope.ts';
import { capturePathOf, type CapturePath } from './paths.ts';
import { readEvents, type EventsReception, type ReadEvents } from './read-events.ts';
import { namedGroupTypes } from './read-groups.ts';
import { receive, receiveUnread, type Received } from './receive.ts';
import { preflightAnswer, takenAnswer, type AnswerOutcome, type Warning } from './respond.ts';
import { createLine, createTurns } from './turns.ts';
import { NOT_STORABLE, rejectionWarnings, REPLAY_DROPPED, STORED_AS_LIVE, warningsOf } from './warnings.ts';

/** What capture must know of a project. */
export type CapturedProject = {
  id: number;
  /** Whether the public key alone may place events in the past. */
  historicalFromProjectKey: boolean;
  /** Whether events are stored without `$ip`. */
  anonymizeIps: boolean;
  /** 1: visitors without cookies are told apart for a day; 0: their events are dropped. */
  cookielessServerHashMode: 0 | 1;
};

export type CaptureOptions = {
  /** Made with INGEST_TIMEOUTS (`events/ingest.ts`) and at least GROUPS_IN_FLIGHT connections (`group-commit.ts`). */
  pool: Pool;
  projectByToken(token: string): Promise<CapturedProject | undefined>;
  gatekeeper: Pick<Gatekeeper, 'authenticate' | 'enter'>;
  clientAddress: ClientAddress;
  /** Absent: events are not told where they come from. */
  locate?: Locate | undefined;
  salts: Pick<Salts, 'ofToday'>;
  /** What each project may have stored, and each secret key that brings history, which is not counted as its project's. */
  eventsPerSecond: { project: number; key: number };
  /** Distinct ids that a person may get by merges; absent: `MOST_DISTINCT_IDS` (`events/ingest.ts`). */
  mostDistinctIds?: number;
  /** Takes what senders should know about their events; must not wait. */
  warn(projectId: number, warnings: readonly IngestionWarning[]): void;
  /** Gets every answer, and the events in it. */
  observe?: CaptureObserver | undefined;
  log: Logger;
};

export type CaptureObserver = { events(accepted: number, rejected: number): void; answered(status: number): void };

export type Capture = {
  handle: Lane;
  /** Resolves when everything that was accepted is stored. */
  drain(): Promise<void>;
};

export function createCapture(options: CaptureOptions): Capture {
  const { pool, projectByToken, gatekeeper, clientAddress, locate, salts, eventsPerSecond, warn, observe, log } =
    options;
  const { mostDistinctIds = MOST_DISTINCT_IDS } = options;
  const groups = createGroupCommit(createIngest(pool, { mostDistinctIds, onWarnings: warn }), (error) =>
    log.error({ error: describeError(error) }, 'a group failed'),
  );
  const enrich = createEnrichment(locate);
  const openMemory = createMemory(LIMITS.heldBytes);
  const groupTypes = groupTypesOf(pool);
  const takeTurn = createTurns();
  const line = createLine();
  const projectLimit = createRateLimit<number>(eventsPerSecond.project);
  const keyLimit = createRateLimit<string>(eventsPerSecond.key);

  function handle(request: LaneRequest, reply: Reply): boolean {
    const path = capturePathOf(request.url ?? '');
    if (!path) return false;
    void answer(request, path).then((result) => {
      observe?.answered(result.status);
      replyWith(reply, result, pageHeaders(request));
    });
    return true;
  }

  async function answer(request: LaneRequest, path: CapturePath): Promise<Answer> {
    const memory = openMemory(request);
    try {
      const { method = '' } = request;
      if (!path.methods.includes(method)) throw new MethodNotAllowed(method, path.methods);
      if (method === 'OPTIONS') return preflightAnswer(request);
      if (method === 'HEAD') return takenAnswer;
      const { limit, open } = path;
      return open ? await store(request, { limit, open, memory }) : await drop(request, { limit, memory });
    } catch (error) {
      const known = answerFor(error);
      if (!known) log.error({ error: describeError(error) }, 'events could not be stored');
      return known ?? serverError;
    } finally {
      memory.release();
    }
  }

  /** Session replay: SDKs that were told elsewhere to send it stop retrying only when it is taken. */
  async function drop(request: LaneRequest, options: Pick<ReadOptions, 'limit' | 'memory'>): Promise<Answer> {
    const project = await projectByToken(await receiveUnread(request, options)).catch(() => undefined);
    if (project) {
      projectLimit.charge(project.id, 1);
      warn(project.id, [REPLAY_DROPPED]);
    }
    return takenAnswer;
  }

  async function store(request: LaneRequest, options: ReadOptions): Promise<Answer> {
    const { rows, indexes, rejected, told, warnings, answer: answerOutcome } = await read(request, options);
    const total = indexes.length + rejected.length;
    if (indexes.length > 0) {
      const refused = await groups.store(rows);
      for (const row of refused) {
        const { distinctId, uuid } = rows.subjects[row]!;
        rejected.push({ index: indexes[row]!, error: NOT_STORABLE });
        told.push(...warningsOf(NOT_STORABLE, { distinctId, eventUuid: uuid }));
      }
    }
    warn(rows.projectId, told);
    observe?.events(total - rejected.length, rejected.length);
    const refusal = rejected.find(({ error }) => !(error instanceof Dropped));
    return answerOutcome({ rejected, warnings, refusal: rejected.length === total ? refusal?.error : undefined });
  }

  /** A function of its own, so that the parsed body is gone while its rows wait for the commit. */
  async function read(request: LaneRequest, options: ReadOptions): Promise<ReadRequest> {
    let leave: (() => void) | undefined;
    const enterLine = async (sender: string) => void (leave = await line(sender));
    try {
      return await readReceived(request, options.memory, await receive(request, { ...options, takeTurn, enterLine }));
    } finally {
      leave?.();
    }
  }

  async function readReceived(request: LaneRequest, memory: Memory, received: Received): Promise<ReadRequest> {
    const project = await findProject(received.token);
    memory.belongTo(received.token);
    const { historical, keyId } = received.historical ? await mayPlace(project, request, received.token) : LIVE;
    if (keyId === undefined) projectLimit.charge(project.id, received.events.length);
    else keyLimit.charge(keyId, received.events.length);
    // The sender of history is not the person that it is about.
    const address = historical ? '' : clientAddress(request);
    enrich(received.events, { address, anonymize: project.anonymizeIps });
    const cookieless = historical ? AS_HISTORY : await cookielessOf(project, received.events, address);
    const now = fromMilliseconds(Date.now());
    const { escapes, faults, answer } = received;
    const reception = { historical, now, sentAt: parseInstant(received.sentAt), escapes, cookieless, faults };
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
      told: [...warnings, ...rejectionWarnings(rejected, received.events)],
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

  async function cookielessOf(
    { id: projectId, cookielessServerHashMode: mode }: CapturedProject,
    given: readonly unknown[],
    address: string,
  ): Promise<Cookieless> {
    if (mode === 0 || !given.some(isCookieless)) return NOT_ALLOWED;
    return { allowed: true, projectId, salt: await salts.ofToday(projectId), address };
  }

  /** There are five types for good: what is rejected must not use them up. */
  async function findGroupTypes(
    projectId: number,
    given: readonly unknown[],
    reception: Omit<EventsReception, 'groupTypes'>,
  ): Promise<GroupTypes> {
    const known = groupTypes.find(projectId, namedGroupTypes(given));
    if (known) return known;
    // New types are rare, and all of the events are read once more for them.
    await othersTurn();
    const { indexes } = await readEvents(given, { ...reception, groupTypes: new Map() });
    await othersTurn();
    const names = namedGroupTypes(indexes.map((index) => given[index]));
    try {
      return groupTypes.find(projectId, names) ?? (await groupTypes.make(projectId, names));
    } catch (cause) {
      throw new Unavailable('Groups cannot be looked up right now.', 5, { cause });
    }
  }

  /** History is not for the public key: with it alone anyone could rewrite what was delivered long ago. */
  async function mayPlace(project: CapturedProject, request: LaneRequest, token: string): Promise<Placement> {
    if (project.historicalFromProjectKey) return { historical: true };
    const { authorization } = request.headers;
    if (authorization === undefined || authorization.endsWith(` ${token}`)) return LIVE;
    const caller = await gatekeeper.authenticate(request);
    await gatekeeper.enter(caller, project.id, { scope: 'event:write' });
    return { historical: true, ...(caller.keyId !== null && { keyId: caller.keyId }) };
  }

  return { handle, drain: groups.drain };
}

type ReadOptions = { limit: number; open: OpenEnvelope; memory: Memory };

/** Where events are placed, and the secret key that allowed it. */
type Placement = { historical: boolean; keyId?: string };
const LIVE: Placement = { historical: false };

const AS_HISTORY: Cookieless = { allowed: 'as history' };
const NOT_ALLOWED: Cookieless = { allowed: false };

/** What is left of a request once its events are encoded. */
type ReadRequest = Omit<ReadEvents, 'events'> & {
  rows: EventRows;
  /** For the client. */
  warnings: Warning[];
  /** For the project. */
  told: IngestionWarning[];
  answer: AnswerOutcome;
};
