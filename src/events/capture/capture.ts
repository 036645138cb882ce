/**
 * `/capture/`, `/batch/` and the other paths of `paths.ts`: events in, `{"status": 1}` out once they are committed.
 *
 * A raw handler answers these paths: their work takes a few microseconds, so the code around it must be as fast.
 *
 * A batch may be stored in part: its good events are stored, and `rejected` names the others by their index. If none
 * can be stored, the request is refused with the first event's error.
 */
import { MethodNotAllowed } from '../../platform/errors.ts';
import { createIngest, MAX_DISTINCT_IDS } from '../ingest/ingest.ts';
import type { IngestionWarning } from '../warnings/warnings.ts';
import { answerFor, serverError, type ErrorBody } from '../../platform/http/error-body.ts';
import { pageHeaders, replyWith } from '../../platform/http/raw-answers.ts';
import type { Answer } from '../../platform/http/route.ts';
import { createRateLimit } from '../../people/keys/rate-limits.ts';
import type { Lane, LaneRequest, Reply } from '../../platform/lane/request.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { measureIn, type Span, type Traces } from '../../platform/telemetry/traces.ts';
import { createInflationLine } from '../../platform/wire/inflate.ts';
import { createMemory } from '../../platform/wire/memory.ts';
import { Dropped, REPLAY_NOT_KEPT } from './dropped.ts';
import { createGroupCommit } from './group-commit.ts';
import { LIMITS } from './limits.ts';
import { capturePathOf, type CapturePath } from './paths.ts';
import { createReading, type ReadingOptions, type ReadOptions } from './reading/read-request.ts';
import { receiveUnread } from './receive.ts';
import { preflightAnswer, acceptedAnswer, type Warned } from './respond.ts';
import { NOT_STORABLE, warningsOf } from './warnings.ts';

export type CaptureOptions = Omit<ReadingOptions, 'projectLimit' | 'enterInflation'> & {
  /** Made with INGEST_TIMEOUTS (`events/ingest/ingest.ts`) and at least GROUPS_IN_FLIGHT connections (`group-commit.ts`). */
  pool: ReadingOptions['pool'];
  /** Distinct ids that a person may get by merges; absent: `MAX_DISTINCT_IDS` (`events/ingest/ingest.ts`). */
  maxDistinctIds?: number;
  /** Takes warnings for the project about its events; must not wait. */
  warn(projectId: number, warnings: readonly IngestionWarning[]): void;
  /** Gets the status of every answer, and the numbers of accepted and rejected events. */
  observe?: CaptureObserver | undefined;
  /** Absent if traces are off. */
  traces?: Pick<Traces, 'begin'> | undefined;
  log: Logger;
};

export type CaptureObserver = { events(accepted: number, rejected: number): void; countAnswer(status: number): void };

export type Capture = {
  handle: Lane;
  /** Resolves when everything that was accepted is stored. */
  drain(): Promise<void>;
};

export function createCapture(options: CaptureOptions): Capture {
  const {
    pool,
    projectByToken,
    clientAddress,
    eventsPerSecond,
    maxDistinctIds = MAX_DISTINCT_IDS,
    warn,
    observe,
    traces,
    log,
  } = options;
  const groups = createGroupCommit(createIngest(pool, { maxDistinctIds, onWarnings: warn }), (error) =>
    log.error({ error: describeError(error) }, 'a group of events could not be stored'),
  );
  const openMemory = createMemory(LIMITS.heldBytes);
  const projectLimit = createRateLimit<number>(eventsPerSecond.project);
  const inflationLine = createInflationLine(clientAddress);
  const read = createReading({ ...options, projectLimit, enterInflation: inflationLine });

  function handle(request: LaneRequest, reply: Reply): boolean {
    const path = capturePathOf(request.url ?? '');
    if (!path) return false;
    const span = request.method === 'OPTIONS' ? undefined : traces?.begin('capture');
    void answer(request, path, span).then((result) => {
      observe?.countAnswer(result.status);
      if (span) endSpan(span, result);
      replyWith(reply, result, pageHeaders(request));
    });
    return true;
  }

  async function answer(request: LaneRequest, path: CapturePath, span: Span | undefined): Promise<Answer> {
    const memory = openMemory(request);
    try {
      const { method = '' } = request;
      if (!path.methods.includes(method)) throw new MethodNotAllowed(method, path.methods);
      if (method === 'OPTIONS') return preflightAnswer(request);
      if (method === 'HEAD') return acceptedAnswer;
      const { limit, open } = path;
      return open
        ? await store(request, { limit, open, memory }, span)
        : await discardReplay(request, { limit, memory });
    } catch (error) {
      const knownAnswer = answerFor(error);
      if (!knownAnswer) log.error({ error: describeError(error) }, 'events could not be stored');
      return knownAnswer ?? serverError;
    } finally {
      memory.release();
    }
  }

  /** Session replay is accepted, because SDKs that are configured elsewhere to send it would otherwise retry. */
  async function discardReplay(request: LaneRequest, options: Pick<ReadOptions, 'limit' | 'memory'>): Promise<Answer> {
    const enterInflation = () => inflationLine(request);
    const token = await receiveUnread(request, { ...options, enterInflation });
    const project = await projectByToken(token).catch(() => undefined);
    if (project) {
      projectLimit.charge(project.id, 1);
      warn(project.id, warningsOf(REPLAY_NOT_KEPT));
    }
    return acceptedAnswer;
  }

  async function store(request: LaneRequest, options: ReadOptions, span: Span | undefined): Promise<Answer> {
    const {
      rows,
      indexes,
      rejected,
      ingestionWarnings,
      warnings,
      answer: answerOutcome,
    } = await measureIn(span, 'capture parse', () => read(request, options));
    span?.set({
      'sluice.project_id': rows.projectId,
      'sluice.rows': indexes.length,
      'sluice.bytes': rows.bytes.length,
    });
    const total = indexes.length + rejected.length;
    if (indexes.length > 0) {
      const refusedIndexes = await measureIn(span, 'capture commit', () => groups.store(rows));
      for (const row of refusedIndexes) {
        const { distinctId, uuid } = rows.subjects[row]!;
        rejected.push({ index: indexes[row]!, error: NOT_STORABLE });
        ingestionWarnings.push(...warningsOf(NOT_STORABLE, { distinctId, eventUuid: uuid }));
      }
    }
    warn(rows.projectId, ingestionWarnings);
    observe?.events(total - rejected.length, rejected.length);
    const refusal = rejected.find(({ error }) => !(error instanceof Dropped));
    return answerOutcome({
      rejected,
      warned: rows.subjects.flatMap(({ person }, row) => warnedOf(indexes[row]!, person.warnings)),
      warnings,
      refusal: rejected.length === total ? refusal?.error : undefined,
    });
  }

  return { handle, drain: groups.drain };
}

function endSpan(span: Span, { status, body }: Answer): void {
  const code = status < 400 ? undefined : (body as ErrorBody).code;
  span.set({ 'http.response.status_code': status, 'sluice.error_code': code });
  span.end(status >= 500);
}

/** Warnings from reading the event. Merges that stored persons refuse are not known here. */
function warnedOf(index: number, [first]: readonly IngestionWarning[]): Warned[] {
  return first ? [{ index, code: first.code }] : [];
}
