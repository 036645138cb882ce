/** Translates errors of the SDK and the network to our two errors, by code; the store's own text is never repeated. */
import { DestinationRejected, DestinationUnavailable } from '../../../platform/errors.ts';
import { HostRefused } from '../../../platform/net/host-rules.ts';
import { isTlsRefusal } from '../../../platform/net/tls-errors.ts';
import { codesByRawCode, type KnownFault } from '../faults.ts';
import { isNotConnected, networkFaultOf } from '../network-faults.ts';
import { S3_FAULTS, s3Fault, type S3FaultCode } from './faults.ts';

const BY_CODE = codesByRawCode(S3_FAULTS);

/** Other 4xx that are temporary, and a redirect that does not name the bucket's region. */
const TEMPORARY_STATUSES = new Set([307, 408, 409, 425, 429]);

/** Status of a request that had no effect. */
const BUSY = 503;

type SdkError = { name?: unknown; code?: unknown; bucketRegion?: string; $metadata?: { httpStatusCode?: number } };

/** The store's code for an error: `NoSuchUpload`, `AccessDenied`, …; for a network error the system's. */
export function codeOf(error: unknown): string {
  const { name, code } = (error ?? {}) as SdkError;
  const found = typeof code === 'string' ? code : name;
  return typeof found === 'string' ? found : '';
}

export function statusOf(error: unknown): number | undefined {
  return ((error ?? {}) as SdkError).$metadata?.httpStatusCode;
}

/** Whether the request may have taken effect, because its answer is lost or inconclusive. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof HostRefused || isTlsRefusal(error) || isNotConnected(codeOf(error))) return false;
  const status = statusOf(error);
  return status === undefined || (status >= 500 && status !== BUSY && status !== 501);
}

/** Kinds of requests, by the right that they need. */
export type S3Action = 'read' | 'write' | 'list' | 'abort';

type Consequence = { code: S3FaultCode; final: boolean; advice: string };

/**
 * The consequence of a store's answer for a run.
 * @param status undefined when there was no answer
 * @returns `final`: the same request would always be refused; `advice`: a sentence for the user
 */
export function consequenceOf(answer: string, status: number | undefined): Consequence {
  const code = BY_CODE.get(answer) ?? (status === undefined ? 'unreachable' : BY_CODE.get(status));
  if (code !== undefined) return consequence(code);
  if (status! >= 500 || status! < 300 || TEMPORARY_STATUSES.has(status!))
    return consequence('store_unavailable', ` (status ${status})`);
  return consequence('request_refused', ` (status ${status})`);
}

function consequence(code: S3FaultCode, more = ''): Consequence {
  const { final = false, sentence }: KnownFault = S3_FAULTS[code];
  return { code, final, advice: sentence.replace(/\.$/, `${more}.`) };
}

/** @throws always */
export function translate(error: unknown, action?: S3Action): never {
  if (error instanceof DestinationRejected || error instanceof DestinationUnavailable) throw error;
  const status = statusOf(error);
  if (status === undefined && !BY_CODE.has(codeOf(error))) throw s3Fault(networkFaultOf(error), { cause: error });
  const { code, advice } = consequenceOf(codeOf(error), status);
  const { bucketRegion } = error as SdkError;
  if (code === 'wrong_region' && bucketRegion)
    throw s3Fault(code, { cause: error, sentence: `${advice.replace(/\.$/, '')}: ${bucketRegion}.` });
  throw s3Fault(code === 'access_denied' && action ? `${action}_denied` : code, { cause: error, sentence: advice });
}
