/**
 * `/capture/`, `/batch/` and the other paths of `paths.ts`: events in, `{"status": 1}` out once they are committed.
 *
 * These paths are answered before the application's router: their work is a few microseconds, and so must be what surrounds it.
 *
 * A batch is taken in part: its good events are stored, and `rejected` names the others by their index. A request none of
 * whose events can be stored is refused with the first one's error.
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Pool } from '../db/connection.ts';
import { InvalidInput, MethodNotAllowed, NotAuthenticated, Unavailable } from '../errors.ts';
import { encodeEvents, type EventRows, type NewEvent } from '../events/event-rows.ts';
import { groupTypesOf, type GroupTypes } from '../events/group-types.ts';
import { createIngest, MOST_DISTINCT_IDS } from '../events/ingest.ts';
import type { IngestionWarning } from '../events/warnings.ts';
import type { Gatekeeper } from '../http/access.ts';
import { answerFor, serverError } from '../http/error-body.ts';
import { pageHeaders, replyWith } from '../http/raw-answers.ts';
import { noBody, type Answer } from '../http/route.ts';
import { createRateLimit } from '../identity/rate-limits.ts';
import type { Lane, LaneRequest, Reply } from '../lane/request.ts';
import { describeError } from '../secrets/redact.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ClientAddress } from '../wire/client-address.ts';
import type { Locate } from '../wire/geoip.ts';
import { fromMilliseconds, parseInstant } from '../wire/instant.ts';
import { createMemory, type Memory } from '../wire/memory.ts';
import { createEnrichment } from './enrich.ts';
import { createGroupCommit } from './group-commit.ts';
import { LIMITS } from './limits.ts';
import { capturePathOf, type CapturePath } from './paths.ts';
import { readEvent, type Reception } from './read-event.ts';
import { namedGroupTypes } from './read-groups.ts';
import { receive } from './receive.ts';
import { CAPTURE_METHODS, preflightAnswer, storedAnswer, takenAnswer, type Rejected, type Warning } from './respond.ts';
import { createTurns } from './turns.ts';
import { rejectionWarnings, warningsOf } from './warnings.ts';

/** What capture must know of a project. */
export type CapturedProject = {
  id: number;
  /** Whether the public key alone may place events in the past. */
  historicalFromProjectKey: boolean;
  /** Whether events are stored without `$ip`. */
  anonymizeIps: boolean;
};

export type CaptureOptions = {
  /** Made with INGEST_TIMEOUTS (`events/ingest.ts`) and at least GROUPS_IN_FLIGHT connections (`group-commit.ts`). */
  pool: Pool;
  projectByToken(token: string): Promise<CapturedProject | undefined>;
  gatekeeper: Pick<Gatekeeper, 'authenticate' | 'enter'>;
  clientAddress: ClientAddress;
  /** Absent: events are not told where they come from. */
  locate?: Locate | undefined;
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
  const { pool, projectByToken, gatekeeper, clientAddress, locate, eventsPerSecond, warn, observe, log } = options;
  const { mostDistinctIds = MOST_DISTINCT_IDS } = options;
  const groups = createGroupCommit(createIngest(pool, { mostDistinctIds, onWarnings: warn }), (error) =>
    log.error({ error: describeError(error) }, 'a group failed'),
  );
  const enrich = createEnrichment(locate);
  const openMemory = createMemory(LIMITS.heldBytes);
  const groupTypes = groupTypesOf(pool);
  const takeTurn = createTurns();
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
      if (request.method === 'OPTIONS') return preflightAnswer(request);
      if (request.method === 'HEAD') return takenAnswer;
      if (request.method !== 'POST' && request.method !== 'GET') {
        throw new MethodNotAllowed(request.method ?? '', CAPTURE_METHODS);
      }
      return await store(request, path, memory);
    } catch (error) {
      const known = answerFor(error);
      if (!known) log.error({ error: describeError(error) }, 'events could not be stored');
      return known ?? serverError;
    } finally {
      memory.release();
    }
  }

  async function store(request: LaneRequest, path: CapturePath, memory: Memory): Promise<Answer> {
    const { rows, indexes, rejected, told, warnings, isBeacon } = await read(request, path, memory);
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
    if (rejected.length === total) throw rejected[0]!.error;
    // Browsers send beacons when a page is left: nobody reads the answer.
    return isBeacon ? noBody(204) : storedAnswer({ rejected, warnings });
  }

  /** A function of its own, so that the parsed body is gone while its rows wait for the commit. */
  async function read(request: LaneRequest, path: CapturePath, memory: Memory): Promise<ReadRequest> {
    const received = await receive(request, path, { memory, takeTurn });
    const project = await findProject(received.token);
    memory.belongTo(received.token);
    const { historical, keyId } = received.historical ? await mayPlace(project, request) : LIVE;
    if (keyId === undefined) projectLimit.charge(project.id, received.events.length);
    else keyLimit.charge(keyId, received.events.length);
    // The sender of history is not the person that it is about.
    const address = historical ? '' : clientAddress(request);
    enrich(received.events, { address, anonymize: project.anonymizeIps });
    const now = fromMilliseconds(Date.now());
    const reception = { historical, now, sentAt: parseInstant(received.sentAt), escapes: received.escapes };
    const groupTypes = await findGroupTypes(project.id, received.events, reception);
    const { events, indexes, rejected } = await readEvents(received.events, { ...reception, groupTypes });
    const rows = encodeEvents(events, { projectId: project.id, historical, createdAt: now });
    memory.hold(rows.bytes.length + events.length * BYTES_AROUND_ROW);
    const warnings = received.historical && !historical ? [STORED_AS_LIVE] : [];
    return {
      rows,
      indexes,
      rejected,
      warnings,
      told: [...warnings, ...rejectionWarnings(rejected, received.events)],
      isBeacon: received.query('beacon') === '1',
    };
  }

  async function findProject(token: string): Promise<CapturedProject> {
    const project = await projectByToken(token).catch((cause: unknown) => {
      throw new Unavailable('Projects cannot be looked up right now.', 5, { cause });
    });
    if (!project) throw new NotAuthenticated('The API key is not valid: no project has it.');
    return project;
  }

  /** There are five types for good: what is rejected must not use them up. */
  async function findGroupTypes(
    projectId: number,
    given: readonly unknown[],
    reception: Omit<Reception, 'groupTypes'>,
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
  async function mayPlace(project: CapturedProject, request: LaneRequest): Promise<Placement> {
    if (project.historicalFromProjectKey) return { historical: true };
    if (request.headers.authorization === undefined) return LIVE;
    const caller = await gatekeeper.authenticate(request);
    await gatekeeper.enter(caller, project.id, { scope: 'event:write' });
    return { historical: true, ...(caller.keyId !== null && { keyId: caller.keyId }) };
  }

  return { handle, drain: groups.drain };
}

/** Where the events of a request are placed in time, and the secret key that allowed it. */
type Placement = { historical: boolean; keyId?: string };
const LIVE: Placement = { historical: false };

/** For which the events of one request may keep others waiting. */
const LONGEST_TURN_MS = 20;

/** What an event takes beside its encoded row while it waits: its uuid, instants, what it does to its person, with some to spare. */
const BYTES_AROUND_ROW = 1_500;

const NOT_STORABLE = new InvalidInput('The event holds a value that cannot be stored.', null, 'not_storable');

const STORED_AS_LIVE: Warning = {
  code: 'historical_placement_not_allowed',
  detail:
    'The events were stored as of now: placing them by their timestamps needs a key with the scope event:write, ' +
    'or the project setting historical_from_project_key.',
};

type ReadEvents = {
  events: NewEvent[];
  /** Of each event, where it was in the request. */
  indexes: number[];
  rejected: Rejected[];
};

/** What is left of a request once its events are encoded. */
type ReadRequest = Omit<ReadEvents, 'events'> & {
  rows: EventRows;
  /** For the client. */
  warnings: Warning[];
  /** For the project. */
  told: IngestionWarning[];
  isBeacon: boolean;
};

/** Other requests get their turn between the events of a large one. */
async function readEvents(given: readonly unknown[], reception: Reception): Promise<ReadEvents> {
  const result: ReadEvents = { events: [], indexes: [], rejected: [] };
  let begun = performance.now();
  for (const [index, raw] of given.entries()) {
    if (index > 0 && performance.now() - begun > LONGEST_TURN_MS) {
      await othersTurn();
      begun = performance.now();
    }
    try {
      result.events.push(readEvent(raw, reception));
      result.indexes.push(index);
    } catch (error) {
      result.rejected.push({ index, error });
    }
  }
  return result;
}
