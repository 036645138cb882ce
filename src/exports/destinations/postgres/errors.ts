/** Translates errors of Postgres, the driver and the network to our two errors, by SQLSTATE, never by the message. */
import {
  DeliveredElsewhere,
  DestinationRejected,
  DestinationUnavailable,
  ReadBackDiffers,
  Superseded,
} from '../../../platform/errors.ts';
import { sqlState } from '../../../platform/db/sql-states.ts';
import { codesByRawCode, type KnownFault } from '../faults.ts';
import { networkFaultOf } from '../network-faults.ts';
import { POSTGRES_FAULTS, postgresFault, type PostgresFaultCode } from './faults.ts';

const BY_STATE = codesByRawCode(POSTGRES_FAULTS);

/** Whether the connection is gone, and with it the answer to the last statement. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || state.startsWith('08') || state.startsWith('57P');
}

/** @throws always */
export function translate(error: unknown): never {
  if (error instanceof DestinationRejected || error instanceof DestinationUnavailable) throw error;
  if (error instanceof Superseded || error instanceof ReadBackDiffers || error instanceof DeliveredElsewhere)
    throw error;
  const state = sqlState(error);
  if (state === undefined)
    throw postgresFault(hasCode(error) ? networkFaultOf(error) : 'connection_lost', { cause: error });
  const { code, advice } = consequenceOf(state);
  throw postgresFault(code, { cause: error, sentence: `${advice} (SQLSTATE ${state})` });
}

/** Whether the error has a code; the driver's own errors have none, and are all about a connection that ended. */
function hasCode(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code !== undefined;
}

/**
 * The consequence of a SQLSTATE for a run.
 * @returns `final`: the same rows would always be refused; `advice`: a sentence for the user
 */
export function consequenceOf(state: string): { code: PostgresFaultCode; final: boolean; advice: string } {
  const code = BY_STATE.get(state) ?? BY_STATE.get(state.slice(0, 2)) ?? 'server_unavailable';
  const { final = false, sentence }: KnownFault = POSTGRES_FAULTS[code];
  return { code, final, advice: sentence };
}
