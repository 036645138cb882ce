/** Types of the list of growing tables, and the settings that limit them. */

/** Days for which rows are kept, by setting; 0 or absent: rows are never deleted. */
export type RetentionDays = { readonly [Setting in RetentionSetting]?: number } & {
  /** Days for which events are kept, unless their project says otherwise. */
  readonly RETENTION_EVENT_DAYS?: number;
};

export type RetentionSetting =
  | 'RETENTION_EXPORT_LOG_DAYS'
  | 'RETENTION_RUN_DETAIL_DAYS'
  | 'RETENTION_RUN_DAYS'
  | 'RETENTION_FLAG_REQUEST_DAYS'
  | 'RETENTION_AUDIT_LOG_DAYS';

/** Rows that are deleted once they are older than a setting says, unless something needs them. */
export type Expiry = {
  setting: RetentionSetting;
  /** Column whose instant decides how old a row is. Rows without one are not old. */
  clock: string;
  /** Table of the rows' owners, if the clock is indexed within each owner only, and the column that refers to the owner's `id`. */
  owners?: { table: string; column: string };
  /** Conditions under which an old row stays, by their description; SQL over `old`, the row. `$1` is the number of days. */
  holds: Readonly<Record<string, string>>;
  /**
   * Whether most old rows are held back. Such a table is looked through from a stored position, and not from its oldest row each time. Its
   * owners are batch exports, and its rows have an `id`.
   */
  mostlyHeld?: true;
};

/**
 * A table with rows of users or of the engine. `grownBy`: what adds rows. `boundedBy`: what keeps the number of rows small, or removes them
 * already. `keptBecause`: why no row is deleted although the table grows.
 */
export type GrowingTable = { grownBy: string } & ({ expiry: Expiry } | { boundedBy: string } | { keptBecause: string });
