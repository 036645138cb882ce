/**
 * OpenFeature's remote evaluation protocol, OFREP 0.2 (https://github.com/open-feature/protocol): the decisions of decide in the
 * protocol's form. A raw handler, because the protocol has its own form of errors.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDatabaseAway } from '../../platform/db/away.ts';
import { MalformedRequest, MethodNotAllowed, TooLarge, Unavailable } from '../../platform/errors.ts';
import { answerFor } from '../../platform/http/error-body.ts';
import { pageHeaders, preflightHeaders, replyThrough, send, type RawHandler } from '../../platform/http/raw-answers.ts';
import { json, noBody, type Answer } from '../../platform/http/route.ts';
import { createRateLimit } from '../../people/keys/rate-limits.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { NO_FIELDS, queryOf } from '../../platform/wire/fields.ts';
import type { Locate } from '../../platform/wire/geoip.ts';
import { isDeeperThan, readJson } from '../../platform/wire/json.ts';
import { createMemory, type Memory } from '../../platform/wire/memory.ts';
import { readBytes } from '../../platform/wire/read-bytes.ts';
import type { Decider } from '../decide/decider.ts';
import { LIMITS } from '../decide/limits.ts';
import { parsedBytes } from '../decide/parsed-bytes.ts';
import { evaluationRequestOf, type Body } from '../decide/read-request.ts';
import { agentOf } from '../decide/user-agent.ts';
import type { Visitors } from '../decide/visitors.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { ProjectFlags } from '../definitions/project-flags.ts';
import { parseBoundedJson } from '../../conditions/operators/json-values.ts';
import type { Metering } from '../metering/metering.ts';
import { sdkName } from '../metering/sdk-name.ts';
import type { AdmittedRequest } from './admission.ts';
import { readContext } from './context.ts';
import { evaluateAll, evaluateOne, flagNotFound } from './evaluate.ts';
import type { EventStreams } from './event-streams.ts';
import { ofrepPathOf, type OfrepPath } from './paths.ts';
import { isRefusal, refusal, type Refusal } from './refusal.ts';

const MAX_BYTES = 256 * 1024;
const MAX_LEVELS = 64;
/** Maximum wait for a change that another process has announced; it usually arrives within 100 ms. */
const MAX_WAIT_MS = 500;

export type OfrepOptions = {
  definitions: LiveDefinitions;
  decider: Decider;
  visitors: Visitors;
  streams: EventStreams;
  /** @throws NotAuthenticated, PermissionDenied, Unavailable */
  admit(request: IncomingMessage): Promise<AdmittedRequest>;
  metering: Pick<Metering, 'count' | 'isOverQuota'>;
  /** Requests per second that are answered for one project. */
  requestsPerSecond: number;
  /** Absent: no location properties are derived from IP addresses. */
  locate: Locate | undefined;
  log: Logger;
};

export type Ofrep = { handle: RawHandler };

export function createOfrep(options: OfrepOptions): Ofrep {
  const { definitions, decider, visitors, streams, admit, metering, requestsPerSecond, locate, log } = options;
  const limit = createRateLimit<number>(requestsPerSecond);
  const openMemory = createMemory(LIMITS.heldBytes);

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    { path, hold }: { path: OfrepPath; hold: Memory['hold'] },
  ): Promise<void> {
    const method = path.of === 'events' ? 'GET' : 'POST';
    if (request.method === 'OPTIONS') return send(request, response, noBody(204, preflightHeaders(request)));
    if (request.method !== method) throw new MethodNotAllowed(request.method ?? '', [method, 'OPTIONS']);
    if (path.of === 'events') return streams.open(request, response);
    const { project: known, keyId } = await admit(request);
    const { projectId } = known;
    if (keyId === null && agentOf(request.headers['user-agent']).isBot) {
      return send(request, response, path.of === 'flags' ? NO_FLAGS : refusalAnswer(flagNotFound(path.key), path));
    }
    limit.charge(projectId, 1);
    if (metering.isOverQuota(projectId)) return send(request, response, OVER_QUOTA);
    const project = await waitForAnnounced(known, request);
    const context = await readContextFrom(request, hold);
    if (isRefusal(context)) return send(request, response, refusalAnswer(context, path));
    const { headers } = request;
    metering.count({ projectId, kind: 'ofrep', keyId, sdk: sdkName(headers['user-agent'], undefined), requests: 1 });
    const contextWithRuntime =
      keyId !== null || isNode(headers) ? { ...context, evaluation_runtime: 'server' } : context;
    const evaluationRequest = await visitors.identifyVisitor(
      project,
      evaluationRequestOf(contextWithRuntime, NO_FIELDS, { headers, locate }),
      request,
    );
    if (path.of === 'flags')
      return sendAll(request, response, project, await evaluateAll(decider, project, evaluationRequest));
    const result = await evaluateOne(decider, project, evaluationRequest, path.key);
    send(request, response, isRefusal(result) ? refusalAnswer(result, path) : json(200, result));
  }

  /** Waits for the version that the client was notified of, because another process may have learned of the change first. */
  async function waitForAnnounced(project: ProjectFlags, request: IncomingMessage): Promise<ProjectFlags> {
    const announced = /\d{1,15}/.exec(queryOf(request.url ?? '')('flagConfigEtag') ?? '')?.[0];
    if (announced === undefined || Number(announced) <= Number(project.version)) return project;
    await nextChange(project.projectId);
    return (await definitions.findById(project.projectId)) ?? project;
  }

  function nextChange(projectId: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, MAX_WAIT_MS);
      const unsubscribe = definitions.onChange((changed) => changed === projectId && end());
      function end(): void {
        clearTimeout(timer);
        unsubscribe();
        resolve();
      }
    });
  }

  /** Includes the stream's period in the ETag, so a client with an expired URL gets a full answer with a new one. */
  function sendAll(request: IncomingMessage, response: ServerResponse, project: ProjectFlags, flags: object[]): void {
    const text = JSON.stringify(flags);
    const { stream, period } = streams.createStreamUrl(project);
    const tag = `"${createHash('sha256').update(period).update(text).digest('base64url')}"`;
    if (matches(request.headers['if-none-match'], tag)) return send(request, response, noBody(304, { ETag: tag }));
    const body = `{"flags":${text},"eventStreams":[${JSON.stringify(stream)}]}`;
    replyThrough(request, response)(200, body, { ETag: tag });
  }

  function failureAnswer(thrown: unknown, path: OfrepPath): Answer {
    const error = isDatabaseAway(thrown) ? new Unavailable('Keys cannot be looked up right now.') : (thrown as Error);
    const known = answerFor(error);
    if (!known) {
      log.error({ error: describeError(error) }, 'flags could not be evaluated');
      return json(500, { errorDetails: 'The flags could not be evaluated.' });
    }
    const isUnreadable = error instanceof MalformedRequest || error instanceof TooLarge;
    if (isUnreadable) return refusalAnswer(refusal('PARSE_ERROR', error.message), path);
    return json(known.status, { errorDetails: error.message }, known.headers);
  }

  return {
    handle(request, response) {
      const path = ofrepPathOf(request.url ?? '');
      if (!path) return false;
      response.setHeaders(new Map(Object.entries(pageHeaders(request) ?? {})));
      response.setHeader('Access-Control-Expose-Headers', 'ETag, Retry-After');
      const { hold, release } = openMemory(request);
      void answer(request, response, { path, hold })
        .catch((error: unknown) => send(request, response, failureAnswer(error, path)))
        .finally(release);
      return true;
    },
  };
}

/** Answer to bots, only with the public key: a server with a secret key asks on behalf of others and may forward their headers. */
const NO_FLAGS = json(200, { flags: [] });

/** How long providers pause over quota; not until the month ends, because quotas can be raised. */
const QUOTA_RETRY_SECONDS = 3_600;
const OVER_QUOTA = json(
  429,
  { errorDetails: 'The project has used up its monthly quota of flag requests.' },
  { 'Retry-After': String(QUOTA_RETRY_SECONDS) },
);

/** @throws MalformedRequest, TooLarge, Unavailable */
async function readContextFrom(request: IncomingMessage, hold: Memory['hold']): Promise<Body | Refusal> {
  const bytes = await readBytes(request, MAX_BYTES, hold);
  // tooth: ofrep-parsed-memory
  hold(parsedBytes(bytes));
  const value = readJson(bytes, { read: parseBoundedJson, maxValues: LIMITS.values });
  if (isDeeperThan(value, MAX_LEVELS)) throw new TooLarge(`The body is nested deeper than ${MAX_LEVELS} levels.`);
  return readContext(value);
}

/** Whether Node's `fetch` sent the request. Decide would take it for a web page, because it sends a header of browsers. */
function isNode({ 'user-agent': agent = '' }: IncomingMessage['headers']): boolean {
  return agent === 'node';
}

function refusalAnswer(why: Refusal, path: OfrepPath): Answer {
  const status = why.errorCode === 'FLAG_NOT_FOUND' ? 404 : 400;
  return json(status, path.of === 'flag' ? { key: path.key, ...why } : why);
}

/** Compares weakly, because a proxy that compresses makes tags weak. */
function matches(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}
