/** Limits the size of a project's files. The size is recounted from time to time, because other workers write to the same folder. */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { localFileFault } from './faults.ts';

const MAX_COUNT_AGE_MS = 30_000;
const MIB = 1024 * 1024;

export type Quota = {
  /** Counts more bytes. @throws DestinationRejected when they would exceed the limit */
  charge(bytes: number): Promise<void>;
};

type Count = { bytes: number; countedAt: number };
/** Sizes by folder, for all runs of this process. */
const counts = new Map<string, Promise<Count>>();

/** @param limitMb in MiB; undefined for no limit */
export function folderQuota(folder: string, limitMb: number | undefined): Quota {
  return {
    async charge(bytes) {
      if (limitMb === undefined) return;
      const count = await readCount(folder);
      // tooth: local-file-quota
      if (count.bytes + bytes > limitMb * MIB) {
        counts.delete(folder);
        const sentence =
          `The project's files would take more than the ${limitMb} MiB that it has in the export folder. ` +
          'Take some away, or ask the operator for more.';
        throw localFileFault('project_quota_exceeded', { sentence });
      }
      count.bytes += bytes;
    },
  };
}

async function readCount(folder: string): Promise<Count> {
  const known = await counts.get(folder);
  if (known && performance.now() - known.countedAt < MAX_COUNT_AGE_MS) return known;
  const counting = measureFolder(folder).then((bytes) => ({ bytes, countedAt: performance.now() }));
  counts.set(folder, counting);
  counting.catch(() => counts.delete(folder));
  return counting;
}

/** Bytes of all files below the folder, including unfinished ones. Files and folders may be renamed or deleted meanwhile. */
async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  let bytes = 0;
  for (const entry of entries) {
    const name = path.join(folder, entry.name);
    // Symbolic links are neither.
    if (entry.isDirectory()) bytes += await measureFolder(name);
    else if (entry.isFile()) bytes += (await lstat(name).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
