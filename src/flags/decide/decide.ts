/**
 * `/flags` and `/decide`: return the flags of an evaluation context. SDKs call them whenever a page or a process starts.
 *
 * A raw handler answers these paths, as it does for capture. A client that gets an error forgets its present flags. So if some flags cannot be
 * decided, the answer is still a 200, which reports them along with all others.
 */
import { MethodNotAllowed, NotAuthenticated, Unavailable } from '../../platform/errors.ts';
import { serverError } from '../../platform/http/error-body.ts';
import { pageHeaders, preflightHeaders, replyWith } from '../../platform/http/raw-answers.ts';
import { noBody, type Answer } from '../../platform/http/route.ts';
import { createRateLimit } from '../../people/keys/rate-limits.ts';
import type { Lane, LaneRequest, Reply } from '../../platform/lane/request.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { receiveBody } from '../../platform/wire/body.ts';
import type { ClientAddress } from '../../platform/wire/client-address.ts';
import { queryOf, type Fields } from '../../platform/wire/fields.ts';
import type { Locate } from '../../platform/wire/geoip.ts';
import { createInflationLine } from '../../platform/wire/inflate.ts';
import { createMemory, type Memory } from '../../platform/wire/memory.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { ProjectFlags } from '../definitions/project-flags.ts';
import type { Evaluation } from '../evaluation/decision.ts';
import { isOfSurvey, type FlagDefinition } from '../evaluation/definitions.ts';
import type { Metering } from '../metering/metering.ts';
import { sdkName } from '../metering/sdk-name.ts';
import { answerText } from './answers.ts';
import { configurationTexts } from './configuration-text.ts';
import type { Decider } from './decider.ts';
import { answerForFailure } from './failures.ts';
import { LIMITS } from './limits.ts';
import { parsedBytes } from './parsed-bytes.ts';
import { decidePathOf, type AnswerForm, type DecidePath } from './paths.ts';
import { nextRequestId } from './request-id.ts';
import { decideBodyOf, evaluationRequestOf, tokenOf, type Body } from './read-request.ts';
import { agentOf } from './user-agent.ts';
import type { Visitors } from './visitors.ts';

export type DecideOptions = {
  definitions: Pick<LiveDefinitions, 'find'>;
  decider: Decider;
  visitors: Visitors;
  clientAddress: ClientAddress;
  /** Absent: no location properties are derived from IP addresses. */
  locate?: Locate | undefined;
  metering: Pick<Metering, 'count' | 'isOverQuota'>;
  /** Requests per second that are answered for one project. */
  requestsPerSecond: number;
  observe?: DecideObserver | undefined;
  log: Logger;
};

export type DecideObserver = {
  /** Called with every answer. */
  countAnswer(status: number, seconds: number): void;
  /** Called for every answer in which a flag could not be decided. */
  countFailure(): void;
};

/** Answer to a request; a string is the body of a 200. */
type Result = string | Answer;

/** A request that was read. */
type ParsedRequest = { request: LaneRequest; body: Body; query: Fields; form: AnswerForm };

export function createDecide(options: DecideOptions): Lane {
  const { definitions, decider, visitors, clientAddress, locate, metering, requestsPerSecond, observe, log } = options;
  const configurationOf = configurationTexts();
  const limit = createRateLimit<number>(requestsPerSecond);
  const openMemory = createMemory(LIMITS.heldBytes);
  const enterInflation = createInflationLine(clientAddress);

  function answer(request: LaneRequest, reply: Reply): boolean {
    const path = decidePathOf(request.url ?? '');
    if (!path) return false;
    const startedAt = performance.now();
    const memory = openMemory(request);

    function finish(result: Result): void {
      memory.release();
      const isText = typeof result === 'string';
      observe?.countAnswer(isText ? 200 : result.status, (performance.now() - startedAt) / 1000);
      if (isText) reply(200, result, pageHeaders(request));
      else replyWith(reply, result, pageHeaders(request));
    }
    function answerWith(work: () => Result | Promise<Result> | undefined): void {
      const result = resultOf(work);
      if (result instanceof Promise) void result.then(finish);
      else if (result !== undefined) finish(result);
    }
    answerWith(() => begin(request, path, memory, answerWith));
    return true;
  }

  /** Never throws or rejects. */
  function resultOf(work: () => Result | Promise<Result> | undefined): Result | Promise<Result> | undefined {
    try {
      const result = work();
      return result instanceof Promise ? result.catch(answerFor) : result;
    } catch (error) {
      return answerFor(error);
    }
  }

  function answerFor(error: unknown): Answer {
    const knownAnswer = answerForFailure(error);
    if (!knownAnswer) log.error({ error: describeError(error) }, 'flags could not be decided');
    return knownAnswer ?? serverError;
  }

  /** @returns undefined when the answer waits for the body */
  function begin(
    request: LaneRequest,
    path: DecidePath,
    { hold }: Memory,
    answerWith: (work: () => Result | Promise<Result>) => void,
  ): Result | undefined {
    const { method = '' } = request;
    if (!path.methods.includes(method)) throw new MethodNotAllowed(method, path.methods);
    if (method === 'OPTIONS') return noBody(204, { Allow: path.methods.join(', '), ...preflightHeaders(request) });
    if (method === 'HEAD') return noBody(200, { 'Content-Type': 'application/json' });
    const query = queryOf(request.url ?? '');
    const form = path.formOf(query);
    if (method === 'GET' || agentOf(request.headers['user-agent']).isBot) {
      return writeAnswer(request, form, NO_FLAGS, configurationOf.minimal);
    }
    const answerTo = (bytes: Buffer) => {
      // tooth: decide-parsed-memory
      hold(parsedBytes(bytes));
      return decide({ request, body: decideBodyOf(bytes), query, form });
    };
    const enterLine = () => enterInflation(request);
    receiveBody(request, { query, limit: LIMITS.bodyBytes, hold, enterLine }, (take) =>
      answerWith(() => {
        const bytes = take();
        return Buffer.isBuffer(bytes) ? answerTo(bytes) : bytes.then(answerTo);
      }),
    );
    return undefined;
  }

  /** Answers without a promise if everything is in memory, which is usual, because each promise costs as much as deciding a flag. */
  function decide(parsed: ParsedRequest): string | Promise<string> {
    const pending = definitions.find(tokenOf(parsed.body));
    if (!(pending instanceof Promise)) return decideFor(pending, parsed);
    return withTimeLimit(pending)
      .catch(unknownIfUnavailable)
      .then((project) => decideFor(project, parsed));
  }

  function decideFor(project: ProjectFlags | 'unknown' | undefined, parsed: ParsedRequest): string | Promise<string> {
    const { request, body, query, form } = parsed;
    if (!project) throw new NotAuthenticated(INVALID_KEY, 'invalid_api_key');
    if (project === 'unknown') {
      return writeAnswer(request, form, FLAGS_UNKNOWN, form.withConfig ? configurationOf.unknown : '');
    }
    limit.charge(project.projectId, 1);
    const configuration = form.withConfig ? configurationOf[form.style](project) : '';
    if (body['disable_flags'] === true) return writeAnswer(request, form, NO_FLAGS, configuration);
    const evaluationRequest = evaluationRequestOf(body, query, { headers: request.headers, locate });
    if (metering.isOverQuota(project.projectId)) return writeAnswer(request, form, OVER_QUOTA, configuration);
    const { headers, socket } = request;
    const arrival = { headers, socket, extra: body['cookieless_hash_extra'] };
    const identified = visitors.identifyVisitor(project, evaluationRequest, arrival);
    const pendingEvaluation =
      identified instanceof Promise
        ? withTimeLimit(identified)
            .then((identifiedRequest) => decider.decide(project, identifiedRequest))
            .catch(noFlagsIfUnavailable)
        : decider.decide(project, identified);
    const answerWith = (evaluation: Evaluation) => {
      if (evaluation.errorsWhileComputing) observe?.countFailure();
      count(parsed, project, evaluation);
      return writeAnswer(request, form, evaluation, configuration, project.definitions.flags);
    };
    return pendingEvaluation instanceof Promise ? pendingEvaluation.then(answerWith) : answerWith(pendingEvaluation);
  }

  /** Requests for survey flags only are not counted, because such flags belong to surveys. */
  function count({ request, query }: ParsedRequest, { projectId }: ProjectFlags, { decisions }: Evaluation): void {
    if (decisions.every(isOfSurvey)) return;
    const sdk = sdkName(request.headers['user-agent'], query('ver'));
    metering.count({ projectId, kind: 'decide', keyId: null, sdk, requests: 1 });
  }

  return answer;
}

const INVALID_KEY = 'Project API key invalid. You can find your project API key in PostHog project settings.';

/** Shorter than the three seconds that SDKs wait. */
const MAX_WAIT_MS = 2_500;

/** Gives up after a time; the lookup continues, so the next request finds its result. @throws Unavailable */
async function withTimeLimit<T>(pending: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Unavailable('Flags cannot be looked up right now.')), MAX_WAIT_MS);
  return Promise.race([pending, timeout.promise]).finally(() => clearTimeout(timer));
}

/** Treats the project as unknown, rather than missing, while Postgres is away. */
function unknownIfUnavailable(error: unknown): 'unknown' {
  if (error instanceof Unavailable) return 'unknown';
  throw error;
}

const NO_FLAGS: Evaluation = { decisions: [], errorsWhileComputing: false };
/** Answer when no flag is known: clients keep the flags they have. */
const FLAGS_UNKNOWN: Evaluation = { decisions: [], errorsWhileComputing: true };

/** Answers without flags while visitors without cookies cannot be identified. */
function noFlagsIfUnavailable(error: unknown): Evaluation {
  if (error instanceof Unavailable) return FLAGS_UNKNOWN;
  throw error;
}
const OVER_QUOTA: Evaluation = { decisions: [], errorsWhileComputing: false };

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function writeAnswer(
  { headers }: LaneRequest,
  { shape }: AnswerForm,
  evaluation: Evaluation,
  configuration: string,
  flags: readonly FlagDefinition[] = [],
): string {
  const sentId = headers['x-request-id'];
  const requestId = typeof sentId === 'string' && UUID.test(sentId) ? sentId : nextRequestId();
  const quotaLimited = evaluation === OVER_QUOTA;
  return answerText({ shape, evaluation, flags, configuration, requestId, evaluatedAt: Date.now(), quotaLimited });
}
