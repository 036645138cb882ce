/** Limits the size of lists that an import reads, so none fills the memory. */
import { CommandFailed } from '../../platform/errors.ts';
import { countValues } from '../../platform/wire/value-count.ts';

/** Maximum number of flags, and of cohorts, in one import. */
export const MAX_ITEMS = 100_000;
const MAX_BYTES = 128 * 1024 * 1024;
/** Maximum number of JSON values, each of which takes about fifty bytes of memory. */
const MAX_VALUES = 5_000_000;

/** Bytes and values that may still be read. */
export type SizeBudget = { bytes: number; values: number };

/** Limits for one list, over all its files or pages, unpacked. */
export function listBudget(): SizeBudget {
  return { bytes: MAX_BYTES, values: MAX_VALUES };
}

/**
 * @param name of the file or answer that is read, for errors
 * @param budget reduced by the size of the blocks
 * @throws CommandFailed when no room is left
 */
export async function collect(blocks: AsyncIterable<Uint8Array>, name: string, budget: SizeBudget): Promise<Buffer> {
  const taken: Uint8Array[] = [];
  for await (const block of blocks) {
    budget.bytes -= block.length;
    // tooth: import-bytes
    if (budget.bytes < 0)
      throw new CommandFailed(
        `${name}: the list is larger than ${MAX_BYTES / 1024 / 1024} MiB, with all its files or pages.`,
      );
    taken.push(block);
  }
  const bytes = Buffer.concat(taken);
  budget.values -= countValues(bytes, budget.values);
  // tooth: import-values
  if (budget.values < 0)
    throw new CommandFailed(
      `${name}: the list has more than ${MAX_VALUES.toLocaleString('en')} values, with all its files or pages.`,
    );
  return bytes;
}
