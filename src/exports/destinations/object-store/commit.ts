/**
 * Makes staged files the content of a data interval. Nothing is deleted here, because a delete cannot be fenced: a thawed worker would
 * remove a newer delivery. The steps may be interrupted and repeated, and an older attempt may thaw meanwhile. This is safe because an
 * upload can become visible only once, only after it was recorded, and never after step 1 of a later commit. An upload that was begun but
 * not recorded is never filled.
 */
import { StagedLost, Superseded } from '../../../platform/errors.ts';
import type { DeliveredFile, Receipt } from '../contract.ts';
import type { StagedPart } from '../delivery.ts';
import { severalAtOnce } from '../at-once.ts';
import { fileKindOf, folderOfKey } from './keys.ts';
import {
  encodeManifest,
  isObject,
  manifestOf,
  readManifest,
  readTaggedManifest,
  receiptOf,
  type Manifest,
} from './manifest.ts';
import { assertOurs } from './ownership.ts';
import { markSuccess } from './success.ts';
import {
  deliveredFile,
  openUpload,
  listRecorded,
  listRecordedUploads,
  reveal,
  stage,
  findFilesNotInManifest,
  type FileSession,
  type RecordedUpload,
  type StagedFile,
} from './staging.ts';
import type { ObjectHead, Replaces } from './store.ts';
import { sweep } from './sweep.ts';

/** A file that the interval is to have; `change` is the upload that makes it and the object that it replaces, unless it is there already. */
type Target = { file: DeliveredFile; change?: { upload: StagedFile; replaces: Replaces | undefined } };

/** Commits the winners. The engine must have set the interval's ledger row to `committing` under our epoch. */
export async function commitFiles(session: FileSession, parts: readonly StagedPart[]): Promise<Receipt> {
  const { context, names, delivery, store } = session;
  const isVersioned = names.layout === 'versioned';
  const winners = parts.map((part) => ({ part, upload: part.staged as StagedFile }));
  for (const { part, upload } of winners) {
    // tooth: store-staged-names
    if (upload.key === names.file(part.index)) continue;
    throw new StagedLost(
      'A part was staged under a name that is not the plan’s. Sluice will deliver the interval again.',
    );
  }
  await context.step('before-commit');

  // 1. Abort the uploads of other attempts, so they can no longer become visible.
  const { uploads: recorded, intents } = await listRecorded(session);
  const ours = new Set(winners.map(({ upload }) => upload.id));
  const others = recorded.filter(({ upload }) => !ours.has(upload.id));
  // tooth: store-abort-others
  await severalAtOnce(others, ({ upload }) => store.abort(upload));
  await sweep(session, intents);

  // 2. Read the current manifest. From here on only we, a later epoch or another database may change it, so each object is replaced by its tag.
  const tagged = await readTaggedManifest(store, names.manifest, delivery);
  const present = tagged?.manifest;
  // tooth: store-known-delivery
  if (present) await assertOurs(session, present, recorded);
  // tooth: store-later-epoch
  if (present && present.epoch > delivery.epoch) throw new Superseded('A later run has delivered this data interval.');
  const entries = new Map(present?.files.map((file) => [file.key, file]));
  const targets = await severalAtOnce(winners, ({ part, upload }) => targetOf(session, entries, part, upload));

  // 3. Files of earlier deliveries under stable names that this one does not need are replaced by files without rows. Files whose names
  // contain a run only leave the manifest, because readers of the earlier manifest may still use them.
  const needed = new Set(targets.map(({ file }) => file.key));
  const earlier = new Set([...entries.keys(), ...recorded.map(({ upload }) => upload.key)]);
  // tooth: store-empty-leftovers
  for (const key of [...earlier].sort()) {
    if (needed.has(key) || isVersioned || names.isVersioned(key)) continue;
    const target = await emptyTarget(session, entries.get(key), key);
    if (target) targets.push(target);
  }

  // 4. Files with equal content are left alone, and so is the manifest if all are equal. No new manifest is needed to fence older
  // attempts, because their uploads were aborted in step 1, so none of them can change anything.
  const files = targets.map(({ file }) => file);
  const toWrite = targets.flatMap(({ change }) => change?.upload ?? []);
  const finish = async (manifest: Manifest, revealed: readonly StagedFile[]) => {
    await markSuccess(session);
    await context.step('after-commit');
    await cleanUp(session, revealed);
    return receiptOf(store, names.manifest, manifest, delivery.cutoff);
  };
  if (present?.state === 'complete') {
    const isSame = toWrite.length === 0 && sameNames(present.files, files);
    if (isSame || (isVersioned && (await showsContent(session, present.files, winners)))) {
      await recordLeaving(session, entries, recorded, new Set(entries.keys()));
      return finish(present, []);
    }
  }

  // 5. Files whose names contain a run are recorded before they leave the manifest, and so are those that an interrupted commit revealed.
  await recordLeaving(session, entries, recorded, needed);

  // 6. The manifests are uploaded like the files, before anything becomes visible.
  const timeline = await context.ownership.getTimeline();
  const manifest = manifestOf('complete', delivery, parts, files, timeline);
  const needsReplacingState = !isVersioned && present?.state === 'complete' && toWrite.length > 0;
  const replacingManifest = needsReplacingState
    ? await stageManifest(session, manifestOf('replacing', delivery, parts, files, timeline))
    : undefined;
  const completeManifest = await stageManifest(session, manifest);

  // 7. Where names are stable, readers see "replacing", then the files change, then readers see the new list.
  // tooth: store-replacing-first
  if (replacingManifest) {
    await context.step('replacing');
    await revealOver(session, replacingManifest, replacedBy(tagged));
  }
  await severalAtOnce(targets, async ({ change }, index) => {
    if (!change) return;
    await context.step(`file-${index}`);
    // tooth: store-file-condition
    await revealOver(session, change.upload, change.replaces);
  });
  await context.step('manifest');
  await revealOver(
    session,
    completeManifest,
    replacingManifest ? replacedBy(await headOfRevealed(session, replacingManifest)) : replacedBy(tagged),
  );
  return finish(manifest, [...(replacingManifest ? [replacingManifest] : []), ...toWrite, completeManifest]);
}

/** Records the versioned files that leave the manifest, even if the layout is stable now. @param staying keys in the new manifest */
async function recordLeaving(
  session: FileSession,
  entries: ReadonlyMap<string, DeliveredFile>,
  recorded: readonly RecordedUpload[],
  staying: ReadonlySet<string>,
): Promise<void> {
  const replaced = [...entries.keys()].filter((key) => session.names.isVersioned(key));
  const leaving = [...replaced, ...(await findFilesNotInManifest(session, recorded, entries))];
  await session.context.recordSuperseded(leaving.filter((key) => !staying.has(key)));
}

/** Target for a part's file, without a change if the file already shows this content or an interrupted call of ours made it visible. */
async function targetOf(
  { store, names }: FileSession,
  entries: ReadonlyMap<string, DeliveredFile>,
  part: StagedPart,
  upload: StagedFile,
): Promise<Target> {
  const visible = await store.head(upload.key);
  const entry = entries.get(upload.key);
  if (entry && entry.content_sha256 === part.contentSha256 && isObject(visible, entry)) return { file: entry };
  const file = deliveredFile(upload, part.rows, part.contentSha256 ?? '', names.event(part.index));
  return isObject(visible, file) ? { file } : { file, change: { upload, replaces: replacedBy(visible) } };
}

/** Whether the manifest's files have this layout and the parts' content, and are visible unchanged. */
async function showsContent(
  { store, names }: FileSession,
  files: readonly DeliveredFile[],
  winners: readonly { part: StagedPart; upload: StagedFile }[],
): Promise<boolean> {
  if (files.length !== winners.length) return false;
  for (const [index, { part, upload }] of winners.entries()) {
    const file = files[index]!;
    if (!names.isVersioned(file.key) || file.content_sha256 !== part.contentSha256) return false;
    // Files of different events may have equal content, if they do not contain the event.
    if (folderOfKey(file.key) !== folderOfKey(upload.key)) return false;
    const [was, is] = [fileKindOf(file.key), fileKindOf(upload.key)];
    if (was.format !== is.format || was.compression !== is.compression) return false;
    if (!isObject(await store.head(file.key), file)) return false;
  }
  return true;
}

/** Target for a key that must have no rows from now on; undefined if no file is visible there, or the key is not of this interval. */
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
  const file = deliveredFile(upload, 0, empty.summary().contentSha256 ?? '', entry?.event);
  return { file, change: { upload, replaces: replacedBy(visible) } };
}

function sameNames(before: readonly DeliveredFile[], after: readonly DeliveredFile[]): boolean {
  const names = new Set(before.map(({ key }) => key));
  return names.size === after.length && after.every(({ key }) => names.has(key));
}

/** Restricts a write to replacing the object that was read; undefined if the store has no tags. */
function replacedBy(present: { tag: string | null } | undefined): Replaces | undefined {
  if (!present) return 'absent';
  // tooth: store-manifest-condition
  return present.tag === null ? undefined : { tag: present.tag };
}

/** @throws Superseded when the manifest is not the one that we have just revealed */
async function headOfRevealed({ store }: FileSession, { key, identity }: StagedFile): Promise<ObjectHead> {
  const visible = await store.head(key);
  if (visible?.identity === identity) return visible;
  throw new Superseded('Another run has taken over this data interval.');
}

/** @throws DeliveredElsewhere when another database delivered meanwhile; Superseded when a run of ours did */
async function revealOver(session: FileSession, staged: StagedFile, replaces: Replaces | undefined): Promise<void> {
  try {
    await reveal(session, staged, replaces);
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    const present = await readManifest(session.store, session.names.manifest, session.delivery);
    if (present) await assertOurs(session, present, await listRecordedUploads(session));
    throw error;
  }
}

async function stageManifest(session: FileSession, manifest: Manifest): Promise<StagedFile> {
  async function* content() {
    yield encodeManifest(manifest);
  }
  return stage(session, await openUpload(session, session.names.manifest), content());
}

/** Forgets the revealed uploads, because the manifest now lists their files, and aborts the uploads that were not needed. */
async function cleanUp(session: FileSession, revealed: readonly StagedFile[]): Promise<void> {
  const { context, store } = session;
  try {
    await context.artifacts.discard(revealed.map(({ artifactId }) => artifactId));
    const { uploads: rest, intents } = await listRecorded(session);
    await severalAtOnce(rest, ({ upload }) => store.abort(upload));
    await context.artifacts.discard(rest.map(({ id }) => id));
    await sweep(session, intents);
  } catch {
    // The delivery is complete; the next one cleans up the remaining records.
    context.log('warning', 'Some unfinished uploads could not be removed; the delivery itself is complete.');
  }
}
