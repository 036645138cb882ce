/** Translates the store's answers and errors of the network to our two errors, by code; the store's own text is never repeated. */
import { DestinationRejected, DestinationUnavailable } from '../../../platform/errors.ts';
import type { Answer } from '../../../platform/net/post.ts';
import { isTlsRefusal } from '../../../platform/net/tls-errors.ts';
import { codesByRawCode, type KnownFault } from '../faults.ts';
import { isNotConnected, networkFaultOf } from '../network-faults.ts';
import { GCS_FAULTS, gcsFault, type GcsFaultCode } from './faults.ts';

const BY_CODE = codesByRawCode(GCS_FAULTS);

/** Other 4xx that are temporary. */
const TEMPORARY_STATUSES = new Set([408, 409, 410, 412, 425, 429]);
/** Statuses that pass within seconds. */
const PASSING_STATUSES = new Set([408, 429]);
/** Status of a request that had no effect. */
const BUSY = 503;

/** An answer of the store that is no success. */
export class RefusedRequest extends Error {
  readonly status: number;
  /** The store's reason, such as `rateLimitExceeded`; empty if it gives none. */
  readonly reason: string;

  constructor({ status, body }: Pick<Answer, 'status' | 'body'>) {
    const reason = reasonIn(body);
    super(`${reason}, status ${status}`);
    this.status = status;
    this.reason = reason;
  }
}

function reasonIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { errors?: { reason?: unknown }[] } };
    const reason = error?.errors?.[0]?.reason;
    return typeof reason === 'string' ? reason : '';
  } catch {
    return '';
  }
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof RefusedRequest ? error.status : undefined;
}

/** Whether the request may have taken effect, because its answer is lost or inconclusive. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof RefusedRequest ? error.status >= 500 && error.status !== BUSY : isRepeatable(error);
}

/** Whether the same request may succeed in a moment. */
export function isRepeatable(error: unknown): boolean {
  if (error instanceof RefusedRequest)
    return error.status >= 500 || PASSING_STATUSES.has(error.status) || BY_CODE.get(error.reason) === 'slow_down';
  return !isTlsRefusal(error) && !isNotConnected(String((error as { code?: unknown }).code));
}

/** Kinds of requests, by the right that they need. */
export type GcsAction = 'read' | 'write' | 'list' | 'delete';

type Consequence = { code: GcsFaultCode; final: boolean; advice: string };

/** The consequence of a store's answer for a run. @returns `final`: the same request would always be refused; `advice`: a sentence for the user */
export function consequenceOf(reason: string, status: number): Consequence {
  const code = BY_CODE.get(reason) ?? BY_CODE.get(status);
  if (code !== undefined) return consequence(code);
  if (status >= 500 || status < 400 || TEMPORARY_STATUSES.has(status))
    return consequence('store_unavailable', ` (status ${status})`);
  return consequence('request_refused', ` (status ${status})`);
}

function consequence(code: GcsFaultCode, more = ''): Consequence {
  const { final = false, sentence }: KnownFault = GCS_FAULTS[code];
  return { code, final, advice: sentence.replace(/\.$/, `${more}.`) };
}

/** @throws always */
export function translate(error: unknown, action?: GcsAction): never {
  if (error instanceof DestinationRejected || error instanceof DestinationUnavailable) throw error;
  if (!(error instanceof RefusedRequest)) throw gcsFault(networkFaultOf(error), { cause: error });
  const { code, advice } = consequenceOf(error.reason, error.status);
  throw gcsFault(code === 'access_denied' && action ? `${action}_denied` : code, { cause: error, sentence: advice });
}
