/** Lists of flags and cohorts, from files with answers of upstream's API. */
import { CommandFailed } from '../errors.ts';
import { openInput } from '../sending/input.ts';
import { exportedItem, isFields, type Exported } from './exported.ts';
import { collect, MOST_ITEMS, roomForList } from './limits.ts';
import type { Kind } from './outcome.ts';

/**
 * @param files paths, or `-` for standard input; gzip is known by its content
 * @returns the items of all files, in their order, and what the files say that they leave out
 * @throws CommandFailed naming the file, and the field where it is one
 */
export async function readLists(
  files: readonly string[],
  kind: Kind,
): Promise<{ items: Exported[]; warning: string | undefined }> {
  const items: Exported[] = [];
  let count = 0;
  let hasMore: string | undefined;
  const room = roomForList();
  for (const file of files) {
    const { bytes } = await openInput(file);
    const parsed = parseList(await collect(bytes, file, room), file);
    for (const [index, item] of parsed.results.entries()) {
      items.push(exportedItem(item, kind, `${file}: ${parsed.place}[${index}]`));
      if (items.length > MOST_ITEMS) throw new CommandFailed(`${file} goes beyond ${MOST_ITEMS} ${kind}s.`);
    }
    count = Math.max(count, parsed.count);
    if (parsed.hasNext) hasMore ??= file;
  }
  const isPart = hasMore !== undefined && items.length < count;
  const warning = isPart
    ? `${hasMore} is a page of a longer list: ${items.length} of ${count} ${kind}s are given. Fetch all pages and name all files.`
    : undefined;
  return { items, warning };
}

export type List = {
  results: readonly unknown[];
  /** The list's name in errors: `results`, or empty for a bare list. */
  place: string;
  /** Items on all pages; 0: the list does not say. */
  count: number;
  hasNext: boolean;
  /** The address of the next page. */
  next: string | null;
};

/**
 * @param bytes an object with `results`, or a bare array
 * @throws CommandFailed naming what is wrong
 */
export function parseList(bytes: Buffer, name: string): List {
  const list = parse(bytes, name);
  if (Array.isArray(list)) return { results: list, place: '', count: list.length, hasNext: false, next: null };
  if (!isFields(list))
    throw new CommandFailed(`${name} holds no list: an array, or an object with results, is expected.`);
  const { results, count, next } = list;
  if (!Array.isArray(results)) throw new CommandFailed(`${name}: results is not an array, or missing.`);
  return {
    results,
    place: 'results',
    count: typeof count === 'number' ? count : 0,
    hasNext: typeof next === 'string',
    next: typeof next === 'string' ? next : null,
  };
}

function parse(bytes: Buffer, name: string): unknown {
  try {
    // A mark at the beginning is left out: editors on Windows write one.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new CommandFailed(`${name} is not valid UTF-8.`);
    const at = /position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0];
    throw new CommandFailed(`${name} is not valid JSON${at === undefined ? '' : `, at ${at}`}.`);
  }
}
