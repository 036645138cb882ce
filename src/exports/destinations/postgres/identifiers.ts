/** Names in the user's database. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Column } from '../../../conditions/rows/columns.ts';

/** Postgres truncates longer identifiers silently, so two tables could become one. */
const IDENTIFIER_BYTES = 63;
/** Prefix of our own tables and columns. */
export const RESERVED_PREFIX = '_sluice_';

/** Quotes a name, which makes any name safe, even reserved words and names with quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** @throws InvalidInput naming the field when Postgres would change the name, or when the prefix is reserved */
export function checkIdentifier(name: string, attr: string): void {
  if (name === '') throw new InvalidInput('May not be blank.', attr);
  if (Buffer.byteLength(name) > IDENTIFIER_BYTES) {
    throw new InvalidInput(`Must have at most ${IDENTIFIER_BYTES} bytes.`, attr);
  }
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) {
    throw new InvalidInput('Must not contain control characters.', attr);
  }
  if (name.toLowerCase().startsWith(RESERVED_PREFIX))
    throw new InvalidInput(`Must not begin with "${RESERVED_PREFIX}".`, attr);
}

export function columnList(columns: readonly Column[]): string {
  return columns.map(({ name }) => quoteName(name)).join(', ');
}

/** Column definitions for `create table`; the contract's type names are Postgres's. */
export function columnDefinitions(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
}
