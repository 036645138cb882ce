/** Translates errors of the SDK and the network to our two errors, by code; the store's own text is never repeated. */
import { DestinationRejected, DestinationUnavailable } from '../../../platform/errors.ts';
import { isTlsRefusal } from '../../../platform/net/tls-errors.ts';
import { codesByRawCode, type KnownFault } from '../faults.ts';
import { isNotConnected, networkFaultOf } from '../network-faults.ts';
import { AZURE_FAULTS, azureFault, type AzureFaultCode } from './faults.ts';

const BY_CODE = codesByRawCode(AZURE_FAULTS);

/** Other 4xx that are temporary. */
const TEMPORARY_STATUSES = new Set([408, 409, 412, 425, 429]);
/** Status of a request that had no effect. */
const BUSY = 503;

type SdkError = {
  code?: unknown;
  name?: unknown;
  statusCode?: number;
  response?: { parsedHeaders?: { errorCode?: string } };
};

/** The store's code for an error: `BlobNotFound`, `AuthenticationFailed`, …; for a network error the system's. */
export function codeOf(error: unknown): string {
  const { code, name, response } = (error ?? {}) as SdkError;
  // A HEAD has no body, so only the header has its code.
  const found = response?.parsedHeaders?.errorCode ?? (typeof code === 'string' ? code : name);
  return typeof found === 'string' ? found : '';
}

export function statusOf(error: unknown): number | undefined {
  return ((error ?? {}) as SdkError).statusCode;
}

/** Whether the request may have taken effect, because its answer is lost or inconclusive. */
export function isUnanswered(error: unknown): boolean {
  if (isTlsRefusal(error) || isNotConnected(codeOf(error))) return false;
  const status = statusOf(error);
  return status === undefined || (status >= 500 && status !== BUSY);
}

/** Kinds of requests, by the right that they need. */
export type AzureAction = 'read' | 'write' | 'list' | 'delete';

type Consequence = { code: AzureFaultCode; final: boolean; advice: string };

/**
 * The consequence of a store's answer for a run.
 * @param status undefined when there was no answer
 * @returns `final`: the same request would always be refused; `advice`: a sentence for the user
 */
export function consequenceOf(answer: string, status: number | undefined): Consequence {
  const code = BY_CODE.get(answer) ?? (status === undefined ? 'unreachable' : BY_CODE.get(status));
  if (code !== undefined) return consequence(code);
  if (status! >= 500 || status! < 400 || TEMPORARY_STATUSES.has(status!))
    return consequence('store_unavailable', ` (status ${status})`);
  return consequence('request_refused', ` (status ${status})`);
}

function consequence(code: AzureFaultCode, more = ''): Consequence {
  const { final = false, sentence }: KnownFault = AZURE_FAULTS[code];
  return { code, final, advice: sentence.replace(/\.$/, `${more}.`) };
}

type Circumstances = { action?: AzureAction; isExpired: boolean };

/** @throws always */
export function translate(error: unknown, { action, isExpired }: Circumstances): never {
  if (error instanceof DestinationRejected || error instanceof DestinationUnavailable) throw error;
  const [answer, status] = [codeOf(error), statusOf(error)];
  // The SDK's errors hold the request, and so the account and its signature.
  const cause = new Error(`${answer}${status === undefined ? '' : `, status ${status}`}`);
  if (status === undefined && !BY_CODE.has(answer)) throw azureFault(networkFaultOf(error), { cause });
  const { code, advice } = consequenceOf(answer, status);
  if ((code === 'authentication_failed' || code === 'not_authorized') && isExpired)
    throw azureFault('credentials_expired', { cause });
  throw azureFault(code === 'access_denied' && action ? `${action}_denied` : code, { cause, sentence: advice });
}
