/** Removes the folders of events that a discarded run has made and left empty. */
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { EventParts } from '../delivery.ts';
import { EVENT } from '../object-store/event-folders.ts';
import type { ObjectNames } from '../object-store/keys.ts';
import { checkFoldersOf, foldersOf } from './store.ts';

/**
 * A folder that has anything in it, such as the upload of another run, stays; a run whose empty folder is removed makes it again. Folders
 * above those of events stay, too, because somebody may have made them for the readers.
 * @param pattern the folder of the files with its variables
 */
export async function removeEmptyFolders(
  root: string,
  pattern: string,
  { names, events = [] }: { names: ObjectNames; events: readonly EventParts[] | undefined },
): Promise<void> {
  const depth = pattern.split('/').findIndex((segment) => segment.includes(EVENT)) + 1;
  if (depth === 0) return;
  const parts = events.reduce((sum, { parts: count }) => sum + count, 0);
  const keys = [...Array.from({ length: parts }, (_, index) => names.file(index)), names.manifest];
  const folders = [...new Set(keys.flatMap(foldersOf))].filter((folder) => depthOf(folder) >= depth);
  for (const folder of folders.sort((a, b) => depthOf(b) - depthOf(a)))
    await checkFoldersOf(root, folder)
      .then(async () => rmdir(path.join(root, folder)))
      .catch(() => {});
}

const depthOf = (folder: string) => folder.split('/').length;
