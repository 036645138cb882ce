/** Reads lists of flags and cohorts from files with answers of upstream's API. */
import { isUtf8 } from 'node:buffer';
import { CommandFailed } from '../../platform/errors.ts';
import { openInput } from '../../platform/sending/input.ts';
import { positionOfFault } from './broken-json.ts';
import { parseItem, isFields, type ExportedItem } from './exported.ts';
import { collect, MAX_ITEMS, listBudget } from './limits.ts';
import { MAX_REASON, printable } from './lines.ts';
import type { Kind } from './outcome.ts';

/**
 * @param files paths, or `-` for standard input; gzip is recognized by its content
 * @returns the items of all files in order, and a warning if pages are missing
 * @throws CommandFailed naming the file, and the field at fault
 */
export async function readLists(
  files: readonly string[],
  kind: Kind,
): Promise<{ items: ExportedItem[]; warning: string | undefined }> {
  const items: ExportedItem[] = [];
  let count = 0;
  let isWhole = false;
  let page: string | undefined;
  const budget = listBudget();
  for (const file of files) {
    const { bytes } = await openInput(file);
    const name = printable(file, MAX_REASON);
    const parsed = parseList(await collect(bytes, name, budget), name);
    for (const [index, item] of parsed.results.entries()) {
      items.push(parseItem(item, kind, `${name}: ${parsed.path}[${index}]`));
      if (items.length > MAX_ITEMS)
        throw new CommandFailed(`${name}: the list has more than ${MAX_ITEMS} ${kind}s, with all its files.`);
    }
    count = Math.max(count, parsed.count);
    if (parsed.next === null) isWhole = true;
    if (parsed.isPage) page ??= name;
  }
  // A list without a count is complete if one of its pages is the last one.
  const isPart = page !== undefined && (count === 0 ? !isWhole : items.length < count);
  const given = count === 0 ? 'the last page is missing' : `${items.length} of ${count} ${kind}s are given`;
  const warning = isPart
    ? `${page} is a page of a longer list: ${given}. Fetch all pages and name all files.`
    : undefined;
  return { items, warning };
}

export type List = {
  results: readonly unknown[];
  /** The list's name in errors: `results`, or empty for a bare list. */
  path: string;
  /** Number of items on all pages; 0 if the list has no count. */
  count: number;
  /** The address of the next page. */
  next: string | null;
  /** Whether the list names a previous or next page. */
  isPage: boolean;
};

/**
 * @param bytes an object with `results`, or a bare array
 * @throws CommandFailed naming the fault
 */
export function parseList(bytes: Buffer, name: string): List {
  const list = parse(bytes, name);
  if (Array.isArray(list)) return { results: list, path: '', count: list.length, next: null, isPage: false };
  if (!isFields(list))
    throw new CommandFailed(`${name} does not contain a list: an array, or an object with results, is expected.`);
  const { results, count, next, previous } = list;
  if (!Array.isArray(results)) throw new CommandFailed(`${name}: results is missing or not an array.`);
  return {
    results,
    path: 'results',
    count: typeof count === 'number' ? count : 0,
    next: typeof next === 'string' ? next : null,
    isPage: typeof next === 'string' || typeof previous === 'string',
  };
}

function parse(bytes: Buffer, name: string): unknown {
  if (!isUtf8(bytes)) throw new CommandFailed(`${name} is not valid UTF-8.`);
  // TextDecoder drops a byte order mark, which editors on Windows write.
  const text = new TextDecoder('utf-8').decode(bytes);
  if (text.trim() === '') throw new CommandFailed(`${name} is not valid JSON: it is empty.`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandFailed(`${name} is not valid JSON${positionOfFault(text, (error as Error).message)}.`);
  }
}
