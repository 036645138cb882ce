/**
 * Objects as files below one folder. An upload is a hidden temporary file beside its target. Completing it is a rename, or, if the
 * target must not exist yet, a hard link: both are atomic, and fail once the upload was aborted.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, opendir, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ObjectChanged, UploadGone, type ObjectStore } from '../object-store/store.ts';
import { hasCode, translate } from './errors.ts';
import { localFileFault } from './faults.ts';
import type { Quota } from './quota.ts';

const PIECE_BYTES = 1024 * 1024;
const READ_BYTES = 256 * 1024;

type LinkFile = (from: string, to: string) => Promise<void>;

export type LocalStoreOptions = {
  /** Absolute; keys are paths below it. */
  root: string;
  quota: Quota;
  /** Mode of files, as in `open(2)`; folders are also searchable (x) for everyone who may read files. */
  fileMode?: number | undefined;
  /** See `Destination.place`. */
  place: string;
  /** Appears in the names of temporary files, for people who find one. */
  epoch: number;
  signal: AbortSignal;
  /** Called with each folder that an upload makes, outermost first. */
  onFolderMade?: (folder: string) => void;
  /** Does what `link(2)` does; not every volume supports it. */
  linkFile?: LinkFile;
};

/** Mode without access for other accounts of the machine, because delivered files contain data about people's behaviour. */
export const DEFAULT_FILE_MODE = 0o640;

export function localStore(options: LocalStoreOptions): ObjectStore {
  const {
    root,
    quota,
    fileMode = DEFAULT_FILE_MODE,
    place,
    epoch,
    signal,
    onFolderMade = () => {},
    linkFile = link,
  } = options;
  const store: ObjectStore = {
    piecesInFlight: 1,
    minPieceBytes: PIECE_BYTES,
    place,
    legacyPlace: 'local',
    locate: (key) => key,
    async begin(key, token) {
      const id = path.posix.join(
        path.posix.dirname(key),
        `.${path.posix.basename(key)}.${epoch}.${randomBytes(8).toString('hex')}.tmp`,
      );
      const create = async () => {
        await makeFolder(root, key, { mode: folderMode(fileMode), onFolderMade });
        await (await open(path.join(root, id), 'wx', fileMode)).close();
      };
      // A second attempt helps if a test of the destination has removed a folder that it made and that was still empty.
      await create().catch((error: unknown) => (isMissing(error) ? create() : Promise.reject(error)));
      return { key, id, token };
    },
    async listUnfinishedUploads(key) {
      const [folder, name] = [path.posix.dirname(key), path.posix.basename(key)];
      try {
        await checkFoldersOf(root, key);
        const siblings = await readdir(path.join(root, folder));
        const ours = siblings.filter(
          (file) => file.startsWith(`.${name}.`) && /^\d+\.[\da-f]{16}\.tmp$/.test(file.slice(name.length + 2)),
        );
        return ours.map((file) => ({ key, id: path.posix.join(folder, file) }));
      } catch (error) {
        if (hasCode(error, ...DENIED)) return 'denied';
        if (isMissing(error)) return [];
        throw error;
      }
    },
    async putPiece({ id }, { number, offset, bytes }) {
      signal.throwIfAborted();
      await quota.charge(bytes.length);
      const file = await openInside(root, id, constants.O_WRONLY).catch(throwGoneIfMissing);
      try {
        await writeAll(file, bytes, offset);
      } finally {
        await file.close();
      }
      return { number, tag: '' };
    },
    // Two uploads of the same bytes make the same file, so the content identifies the upload.
    identify: (_, { sha256 }) => ({ identity: `sha256:${sha256}`, checksum: `sha256:${sha256}` }),
    async complete({ key, id }, replaces) {
      signal.throwIfAborted();
      const file = await openInside(root, id, constants.O_RDWR).catch(throwGoneIfMissing);
      try {
        // tooth: local-file-sync
        await file.sync();
      } finally {
        await file.close();
      }
      const [from, to] = [path.join(root, id), path.join(root, key)];
      if (replaces === 'absent') await createByLink(from, to, linkFile);
      else {
        // Check as late as possible, because file systems have no conditional rename.
        if (replaces && (await store.head(key))?.tag !== replaces.tag) throw new ObjectChanged();
        await rename(from, to).catch(throwGoneIfMissing);
      }
      // tooth: local-file-sync-folder
      await syncFolder(path.join(root, path.dirname(key)));
    },
    async abort({ id }) {
      await unlinkInside(root, id).catch(undefinedIfMissing);
    },
    async head(key) {
      const file = await openInside(root, key, constants.O_RDONLY).catch(undefinedIfMissing);
      if (!file) return undefined;
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const block of file.createReadStream({ signal, highWaterMark: READ_BYTES })) {
        hash.update(block as Uint8Array);
        bytes += (block as Uint8Array).length;
      }
      const sum = `sha256:${hash.digest('hex')}`;
      return { bytes, identity: sum, checksum: sum, tag: sum };
    },
    async get(key) {
      const file = await openInside(root, key, constants.O_RDONLY).catch(undefinedIfMissing);
      return file?.createReadStream({ signal, highWaterMark: READ_BYTES });
    },
    async *list(prefix) {
      const folder = path.posix.dirname(prefix.endsWith('/') ? `${prefix}-` : prefix);
      for (const parent of [...foldersOf(folder), folder]) {
        const found = await checkFolder(path.join(root, parent)).then(
          () => true,
          (error: unknown) => undefinedIfMissing(error) ?? false,
        );
        if (!found) return;
      }
      // Symbolic links are neither followed nor yielded.
      const entries = await opendir(path.join(root, folder), { recursive: true });
      for await (const entry of entries) {
        const key = path.posix.join(path.relative(root, entry.parentPath), entry.name);
        if (entry.isFile() && key.startsWith(prefix)) yield key;
      }
    },
    async remove(key) {
      try {
        await unlinkInside(root, key);
      } catch (error) {
        if (hasCode(error, ...DENIED)) return 'denied';
        undefinedIfMissing(error);
      }
      return 'removed';
    },
    close() {},
  };
  return translateErrors(store);
}

/** Error codes of volumes without hard links: Windows shares, memory cards, some FUSE file systems. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'];

/** Renames a file, but never replaces an existing one. @throws ObjectChanged, UploadGone */
async function createByLink(from: string, to: string, linkFile: LinkFile): Promise<void> {
  try {
    await linkFile(from, to);
  } catch (error) {
    // tooth: local-file-create
    if (hasCode(error, 'EEXIST')) throw new ObjectChanged();
    if (!hasCode(error, ...NO_LINKS)) throwGoneIfMissing(error);
    // Check as late as possible before the rename.
    // tooth: local-file-create-without-links
    if (await lstat(to).catch(undefinedIfMissing)) throw new ObjectChanged();
    await rename(from, to).catch(throwGoneIfMissing);
    return;
  }
  await unlink(from).catch(undefinedIfMissing);
}

async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    written += (await file.write(bytes, written, bytes.length - written, offset + written)).bytesWritten;
  }
}

/** Opens an existing file, and follows no link anywhere in its path. Refuses a pipe, without waiting for its other end. */
async function openInside(root: string, key: string, mode: number): Promise<FileHandle> {
  await checkFoldersOf(root, key);
  // tooth: local-file-links
  const file = await open(path.join(root, key), mode | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  // tooth: local-file-pipes
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw localFileFault('directory_unusable');
}

async function unlinkInside(root: string, key: string): Promise<void> {
  await checkFoldersOf(root, key);
  await unlink(path.join(root, key));
}

/** @throws DestinationRejected when one of the key's folders is a link */
export async function checkFoldersOf(root: string, key: string): Promise<void> {
  // tooth: local-file-linked-folders
  for (const folder of foldersOf(key)) await checkFolder(path.join(root, folder));
}

/** Makes the key's folders, each durable before the next, and refuses to walk through links. */
async function makeFolder(
  root: string,
  key: string,
  { mode, onFolderMade }: { mode: number } & Required<Pick<LocalStoreOptions, 'onFolderMade'>>,
): Promise<void> {
  await mkdir(root, { recursive: true, mode });
  for (const folder of foldersOf(key)) {
    const target = path.join(root, folder);
    const isNew = await mkdir(target, { mode }).then(
      () => true,
      (error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
        return false;
      },
    );
    if (isNew) {
      onFolderMade(target);
      await syncFolder(path.dirname(target));
    } else await checkFolder(target);
  }
}

/** Adds the search bit (x) for everyone who may read, and all rights for the owner. */
function folderMode(fileMode: number): number {
  return fileMode | ((fileMode & 0o444) >> 2) | 0o700;
}

/** `a/b/c.jsonl` lies in `a` and `a/b`. @throws DestinationRejected for a key that leads out of the root */
export function foldersOf(key: string): string[] {
  const segments = key.split('/');
  // tooth: local-file-dots
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..' || segment.includes('\\'))) {
    throw localFileFault('directory_outside');
  }
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

async function checkFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (found.isDirectory()) return;
  throw localFileFault('directory_not_a_folder');
}

/** Syncs a folder, which makes the renames in it durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const DENIED = ['EACCES', 'EPERM'];

const isMissing = (error: unknown) => hasCode(error, 'ENOENT');

function throwGoneIfMissing(error: unknown): never {
  throw isMissing(error) ? new UploadGone() : error;
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Translates all errors, because those of the file system contain paths. */
function translateErrors(store: ObjectStore): ObjectStore {
  const { begin, listUnfinishedUploads, putPiece, complete, abort, head, get, list, remove } = store;
  return {
    ...store,
    begin: (...input) => begin(...input).catch(translate),
    listUnfinishedUploads: (...input) => listUnfinishedUploads(...input).catch(translate),
    putPiece: (...input) => putPiece(...input).catch(translate),
    complete: (...input) => complete(...input).catch(translate),
    abort: (...input) => abort(...input).catch(translate),
    head: (...input) => head(...input).catch(translate),
    remove: (...input) => remove(...input).catch(translate),
    list: (...input) => translatedItems(list(...input)),
    get: async (...input) => {
      const content = await get(...input).catch(translate);
      return content && translatedItems(content);
    },
  };
}

async function* translatedItems<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    translate(error);
  }
}
