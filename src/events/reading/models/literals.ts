/** COPY takes no parameters, so all values in its query are written as literals. */
import pg from 'pg';

export const textSql = pg.escapeLiteral;

export function instantSql(iso: string): string {
  return `${textSql(iso)}::timestamptz`;
}

export function uuidSql(uuid: string): string {
  return `${textSql(uuid)}::uuid`;
}

export function textArraySql(texts: readonly string[]): string {
  return `array[${texts.map(textSql).join(', ')}]::text[]`;
}

export function integerSql(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`Not an integer: ${value}`);
  return String(value);
}
