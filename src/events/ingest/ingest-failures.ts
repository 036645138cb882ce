/** Failures of the ingest transaction, and their remedies. */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import { isDatabaseAway } from '../../platform/db/away.ts';
import { NoAnswer } from '../../platform/db/simple-query.ts';
import { GroupTooLarge, PersonsChanged } from './store-group.ts';

/**
 * repeat: the same transaction may succeed later. divide: the transaction took too long, and smaller ones may be fast enough. halve: some
 * event cannot be stored, or the events together are too large.
 */
export type Remedy = 'repeat' | 'divide' | 'halve';

/** Read-only and internal errors: another server, or the same one later, may store the events. */
const REPEATABLE_CLASSES = new Set(['25', 'XX']);
/** Postgres reports a missing partition as a violated check constraint; no event can violate Sluice's own check constraints. */
const NO_PARTITION = SQL_STATE.checkViolation;
/** The switch to references renamed the column of copies after this transaction had read that it is off. */
const SWITCHED = SQL_STATE.undefinedColumn;
/** An event holds something that a column cannot: data exception, constraint, or a value that is too large altogether. */
const BAD_DATA_CLASSES = new Set(['22', '23', '54']);

/** @returns undefined: no remedy, for example after a bug of ours */
export function remedyOf(error: unknown): Remedy | undefined {
  if (error instanceof GroupTooLarge) return 'halve';
  if (error instanceof PersonsChanged) return 'repeat';
  if (error instanceof NoAnswer) return 'divide';
  const state = sqlState(error) ?? '';
  if (state === SQL_STATE.queryCanceled) return 'divide';
  if (state === NO_PARTITION || state === SWITCHED || isDatabaseAway(error)) return 'repeat';
  if (REPEATABLE_CLASSES.has(state.slice(0, 2))) return 'repeat';
  return BAD_DATA_CLASSES.has(state.slice(0, 2)) ? 'halve' : undefined;
}
