/** Errors of Postgres, the driver and the network, as one of our two. Decided by SQLSTATE, never by the message. */
import {
  DeliveredElsewhere,
  DestinationRejected,
  DestinationUnavailable,
  ReadBackDiffers,
  Superseded,
} from '../../../platform/errors.ts';
import { sqlState } from '../../../platform/db/sql-states.ts';
import { HOST_REFUSED, HostRefused } from '../../../platform/net/host-rules.ts';
import { isTlsRefusal, TLS_REFUSED } from '../../../platform/net/tls-errors.ts';

/**
 * SQLSTATEs, and classes by their first two characters, that the same rows meet again for ever: the rows do not fit the table, or a
 * statement does not fit the server. Appendix A of Postgres's manual.
 */
const FINAL: Record<string, string> = {
  '0A': 'The server does not support what is needed.',
  21: 'The table’s unique key finds a row twice.',
  '22': 'A column of the table does not take a value of the export.',
  22001: 'A value is too long for its column.',
  '23': 'A constraint of the table refuses the rows.',
  42: 'The tables are not as the export needs them.',
  42703: 'A column that the export writes does not exist in the table any more.',
  42804: 'A column of the table has a type that does not take the values of the export.',
  44: 'A view’s check refuses the rows.',
  54: 'A limit of the server is exceeded.',
};

/**
 * SQLSTATEs and classes that a failover, a rotation of passwords or a restore gives for a while, with what to do about one that stays.
 * SQLSTATEs in neither table pass as well: only what is known to last is final.
 */
const PASSING: Record<string, string> = {
  25006: 'The database is read-only, as a standby is.',
  '28': 'The user or the password is wrong, or the user may not connect from here.',
  '3D': 'The database does not exist.',
  '3F': 'The schema does not exist.',
  42501: 'The user lacks a privilege. Needed: CREATE and USAGE on the schema, and all rights on the table.',
  '42P01': 'A table that was there a moment ago is gone.',
  53100: 'The server’s disk is full.',
  53300: 'The server has too many connections.',
  P0: 'A trigger of the table raised an error.',
};

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
  if (error instanceof HostRefused) throw new DestinationUnavailable(HOST_REFUSED, { cause: error });
  if (isTlsRefusal(error)) {
    throw new DestinationUnavailable(`${TLS_REFUSED} Set has_self_signed_cert if you trust it all the same.`, {
      cause: error,
    });
  }
  const state = sqlState(error);
  if (state === undefined) throw new DestinationUnavailable('The database cannot be reached.', { cause: error });
  const { final, advice } = consequenceOf(state);
  const message = `${advice} (SQLSTATE ${state})`;
  throw final
    ? new DestinationRejected(message, { cause: error })
    : new DestinationUnavailable(message, { cause: error });
}

/**
 * The consequence of a SQLSTATE for a run.
 * @returns `final`: the same rows would be refused for ever; `advice`: a sentence for the user
 */
export function consequenceOf(state: string): { final: boolean; advice: string } {
  for (const key of [state, state.slice(0, 2)]) {
    if (Object.hasOwn(PASSING, key)) return { final: false, advice: PASSING[key]! };
    if (Object.hasOwn(FINAL, key)) return { final: true, advice: FINAL[key]! };
  }
  return { final: false, advice: 'The database cannot do this at the moment.' };
}
