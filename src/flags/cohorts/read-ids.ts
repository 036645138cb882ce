/** Reads the ids of persons from a CSV file. */
import { InvalidInput } from '../../platform/errors.ts';
import { csvRows } from './csv-rows.ts';

/** Ids, each once, in the order of the file. */
export type NamedIds = { kind: 'distinct_id' | 'person_id'; ids: readonly string[] };

const MAX_IDS = 250_000;
const HEADERS: Readonly<Record<string, NamedIds['kind']>> = {
  distinct_id: 'distinct_id',
  distinct_ids: 'distinct_id',
  'distinct-id': 'distinct_id',
  person_id: 'person_id',
};

/**
 * @param blocks of a CSV file whose first row names the column, or which has a single column of distinct ids
 * @throws InvalidInput when the file has no ids
 */
export async function readIds(blocks: AsyncIterable<Uint8Array>): Promise<NamedIds> {
  let column: { index: number; kind: NamedIds['kind'] } | undefined;
  const ids = new Set<string>();
  for await (const row of csvRows(blocks)) {
    if (row.length === 1 && row[0] === '') continue;
    if (!column) {
      column = namedColumn(row) ?? onlyColumn(row);
      if (namedColumn(row)) continue;
    }
    const id = row[column.index]?.trim() ?? '';
    if (id === '') continue;
    if (id.includes('\0')) throw new InvalidInput('Null characters are not allowed.', 'csv');
    ids.add(id);
    if (ids.size > MAX_IDS) throw new InvalidInput(`The file contains more than ${MAX_IDS} persons.`, 'csv');
  }
  if (!column || ids.size === 0) throw new InvalidInput('The file contains no ids.', 'csv');
  return { kind: column.kind, ids: [...ids] };
}

/** Returns the column of ids; if several columns qualify, the first in the order of `HEADERS`. */
function namedColumn(header: readonly string[]) {
  const names = header.map((name) => name.trim().toLowerCase());
  const name = Object.keys(HEADERS).find((candidate) => names.includes(candidate));
  return name === undefined ? undefined : { index: names.indexOf(name), kind: HEADERS[name]! };
}

function onlyColumn(row: readonly string[]) {
  if (row.length === 1) return { index: 0, kind: 'distinct_id' as const };
  throw new InvalidInput(
    'The first row of a file with several columns must name one of them `distinct_id` or `person_id`.',
    'csv',
  );
}
