/** Postgres's error codes by their names in appendix A of its manual. */

export const SQL_STATE = {
  invalidParameterValue: '22023',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  undefinedColumn: '42703',
  duplicateObject: '42710',
  undefinedTable: '42P01',
  duplicateTable: '42P07',
  lockNotAvailable: '55P03',
  /** By a migration of ours that says why it refuses. */
  raiseException: 'P0001',
  /** Cancelled by `statement_timeout`, or on request. */
  queryCanceled: '57014',
} as const;

/** The SQLSTATE of a server's error; undefined for other errors, whose codes only look like one. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object) ? code : undefined;
}
