/**
 * How staged files become the content of a data interval. Nothing is ever deleted, because a delete cannot be fenced: a thawed
 * worker would remove a newer delivery. What makes the steps safe to interrupt, repeat and run beside a frozen older self:
 * an upload can become visible only once, only after it was recorded, and never after step 1 of a later commit.
 */
import { Superseded } from '../../errors.ts';
import type { DeliveredFile, Receipt, StagedPart } from '../contract.ts';
import { fileKindOf } from './keys.ts';
import { encodeManifest, isObject, manifestOf, readManifest, receiptOf, type Manifest } from './manifest.ts';
import { openUpload, recordedUploads, reveal, stage, type FileSession, type StagedFile } from './staging.ts';

/** A file of the interval: as it is to be, and the upload that makes it so, unless it is so already. */
type Target = { file: DeliveredFile; upload?: StagedFile };

/** The engine has set the interval's ledger row to `committing` with our epoch before it calls this. */
export async function commitFiles(session: FileSession, parts: readonly StagedPart[]): Promise<Receipt> {
  const { context, names, delivery, store } = session;
  const winners = parts.map((part) => ({ part, upload: part.staged as StagedFile }));
  await context.step('before-commit');

  // 1. Nothing that another attempt left can become visible any more.
  const recorded = await recordedUploads(session);
  const ours = new Set(winners.map(({ upload }) => upload.id));
  for (const { upload } of recorded) if (!ours.has(upload.id)) await store.abort(upload);

  // 2. What is there? From here on only we, or a later epoch, change it.
  const present = await readManifest(store, names.manifest, delivery);
  if (present && present.epoch > delivery.epoch) throw new Superseded('A later run has delivered this data interval.');
  const entries = new Map(present?.files.map((file) => [file.key, file]));
  const targets: Target[] = [];
  for (const { part, upload } of winners) targets.push(await targetOf(session, entries, part, upload));

  // 3. Names of earlier deliveries that this one does not need become files of no rows.
  const needed = new Set(targets.map(({ file }) => file.key));
  const earlier = new Set([...entries.keys(), ...recorded.map(({ upload }) => upload.key)]);
  for (const key of [...earlier].sort()) {
    if (needed.has(key)) continue;
    const target = await emptyTarget(session, entries.get(key), key);
    if (target) targets.push(target);
  }

  // 4. Equal content is left alone, to the last byte of the manifest.
  const files = targets.map(({ file }) => file);
  const toWrite = targets.flatMap((target) => target.upload ?? []);
  const done = async (manifest: Manifest, revealed: readonly StagedFile[]) => {
    await context.step('after-commit');
    await cleanUp(session, revealed);
    return receiptOf(store, names.manifest, delivery, manifest);
  };
  if (present?.state === 'complete' && toWrite.length === 0 && sameNames(present.files, files))
    return done(present, []);

  // 5. The manifests are uploads like all others, and ready before anything changes.
  const manifest = manifestOf('complete', delivery, parts, files);
  const replacing = present?.state === 'complete' && toWrite.length > 0;
  const opening = replacing ? await stageManifest(session, manifestOf('replacing', delivery, parts, files)) : undefined;
  const closing = await stageManifest(session, manifest);

  // 6. Readers see "replacing", then the files change, then readers see the new list.
  if (opening) {
    await context.step('replacing');
    await reveal(session, opening);
  }
  for (const [index, { upload }] of targets.entries()) {
    if (!upload) continue;
    await context.step(`file-${index}`);
    await reveal(session, upload);
  }
  await context.step('manifest');
  await reveal(session, closing);
  return done(manifest, [...(opening ? [opening] : []), ...toWrite, closing]);
}

/** A part's file: left alone when it already shows this content, or when an interrupted call of ours made it visible. */
async function targetOf(
  { store }: FileSession,
  entries: ReadonlyMap<string, DeliveredFile>,
  part: StagedPart,
  upload: StagedFile,
): Promise<Target> {
  const visible = await store.head(upload.key);
  const entry = entries.get(upload.key);
  if (entry && entry.content_sha256 === part.contentSha256 && isObject(visible, entry)) return { file: entry };
  const file = fileOf(upload, part.rows, part.contentSha256 ?? '');
  return isObject(visible, file) ? { file } : { file, upload };
}

/** A name that must hold no rows from now on; undefined when nothing is visible there or the name is not of this interval. */
async function emptyTarget(
  session: FileSession,
  entry: DeliveredFile | undefined,
  key: string,
): Promise<Target | undefined> {
  const visible = session.names.isFile(key) && (await session.store.head(key));
  if (!visible) return undefined;
  if (entry?.rows === 0 && isObject(visible, entry)) return { file: entry };
  const empty = session.context.emptyFile(fileKindOf(key));
  const upload = await stage(session, await openUpload(session, key), empty.bytes);
  return { file: fileOf(upload, 0, empty.summary().contentSha256 ?? ''), upload };
}

function fileOf(upload: StagedFile, rows: number, contentSha256: string): DeliveredFile {
  const { key, bytes, sha256, identity, checksum } = upload;
  return { key, rows, bytes, sha256, content_sha256: contentSha256, identity, checksum };
}

function sameNames(before: readonly DeliveredFile[], after: readonly DeliveredFile[]): boolean {
  const names = new Set(before.map(({ key }) => key));
  return names.size === after.length && after.every(({ key }) => names.has(key));
}

async function stageManifest(session: FileSession, manifest: Manifest): Promise<StagedFile> {
  async function* content() {
    yield encodeManifest(manifest);
  }
  return stage(session, await openUpload(session, session.names.manifest), content());
}

/** The manifest tells what is visible now: forget the uploads, and abort those of files that were left alone. */
async function cleanUp(session: FileSession, revealed: readonly StagedFile[]): Promise<void> {
  const { context, store } = session;
  try {
    await context.artifacts.discard(revealed.map(({ artifactId }) => artifactId));
    for (const { id, upload } of await recordedUploads(session)) {
      await store.abort(upload);
      await context.artifacts.discard([id]);
    }
  } catch {
    // Delivered is delivered. What is still recorded is cleaned up with the next delivery.
    context.log('warning', 'Some unfinished uploads could not be removed; the delivery itself is complete.');
  }
}
