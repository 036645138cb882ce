/** Uploads of one session. Each is recorded before it begins, so another worker can find and end it. */
import { randomBytes } from 'node:crypto';
import { Superseded } from '../../../platform/errors.ts';
import type { Artifact } from '../artifacts.ts';
import type { DeliveredFile, SessionContext } from '../contract.ts';
import type { Delivery } from '../delivery.ts';
import { severalAtOnce } from '../at-once.ts';
import { listArtifactsAt } from '../recorded.ts';
import { objectStoreFault } from './faults.ts';
import type { ObjectNames } from './keys.ts';
import { ObjectChanged, UploadGone, type ObjectStore, type Replaces, type StagedUpload, type Upload } from './store.ts';
import { fillUpload } from './upload.ts';

export type FileSession = {
  store: ObjectStore;
  names: ObjectNames;
  delivery: Delivery;
  context: SessionContext;
};

/** The fields of a session that uploads need. */
export type UploadSession = Pick<FileSession, 'store' | 'context'>;

/** A staged file: `write` of a part of the delivery returns it, and `commit` receives it. */
export type StagedFile = StagedUpload & { artifactId: string };

/** The file that a revealed upload becomes. @param event see `DeliveredFile` */
export function deliveredFile(
  { key, bytes, sha256, identity, checksum }: StagedFile,
  rows: number,
  contentSha256: string,
  event: DeliveredFile['event'] | undefined,
): DeliveredFile {
  const file = { key, rows, bytes, sha256, content_sha256: contentSha256, identity, checksum };
  return event === undefined ? file : { ...file, event };
}

/** An open upload that is recorded in our database. */
export type RecordedUpload = { id: string; upload: Upload };

/** Record that an upload to this key was about to begin. It may have begun, because a crash may come before its id is recorded. */
export type RecordedIntent = { id: string; key: string };

/**
 * Opens an upload. Its intent is recorded before it begins, and its id before its first byte is sent.
 * @throws Superseded when a later epoch has taken the interval, or has swept the intent
 */
export async function openUpload({ store, context }: UploadSession, key: string): Promise<RecordedUpload> {
  const { artifacts } = context;
  const intent = { place: store.place, key, token: randomBytes(16).toString('hex') };
  const intentId = await artifacts.record(intent);
  await context.step('upload-intent');
  let isInDoubt = false;
  // A failure is ignored, because an unneeded intent does no harm.
  const forgetIntent = async () => (isInDoubt ? undefined : artifacts.discard([intentId]).catch(() => {}));
  let upload: Upload;
  try {
    upload = await store.begin(key, intent.token, () => {
      isInDoubt = true;
    });
  } catch (error) {
    await forgetIntent();
    throw error;
  }
  await context.step('upload-begun');
  try {
    const id = await artifacts.record({ ...intent, id: upload.id }, isInDoubt ? undefined : intentId);
    return { id, upload };
  } catch (error) {
    await store.abort(upload).then(forgetIntent, () => {});
    throw error;
  }
}

/**
 * Fills an open upload. After a failure the upload is removed, if the store can still be reached.
 * @param check throws when the content turns out not to be what was planned
 */
export async function stage(
  { store, context }: UploadSession,
  { id, upload }: RecordedUpload,
  content: AsyncIterable<Uint8Array>,
  check: () => unknown = () => {},
): Promise<StagedFile> {
  try {
    const staged = await fillUpload(store, upload, content);
    check();
    return { ...staged, artifactId: id };
  } catch (error) {
    await store.abort(upload).then(
      () => context.artifacts.discard([id]),
      () => {},
    );
    if (!(error instanceof UploadGone)) throw error;
    throw objectStoreFault('upload_aborted', { cause: error });
  }
}

/**
 * Makes a staged upload visible. If an interrupted call has completed it already, the upload is gone, and the visible object is ours.
 * @param replaces the only object that may be replaced
 * @throws Superseded when the visible object is another one, and the upload is gone or may not replace it
 */
export async function reveal(
  { store }: Pick<UploadSession, 'store'>,
  staged: StagedUpload,
  replaces?: Replaces,
): Promise<void> {
  try {
    await store.complete(staged, replaces);
  } catch (error) {
    if (!(error instanceof UploadGone || error instanceof ObjectChanged)) throw error;
    const visible = await store.head(staged.key);
    if (visible?.identity === staged.identity) {
      // An interrupted call may have made the object without ending the upload.
      if (error instanceof ObjectChanged) await store.abort(staged);
      return;
    }
    throw new Superseded('Another run has taken over this data interval.', { cause: error });
  }
}

/** Recorded uploads of this interval, up to our epoch, at the session's place. */
export async function listRecorded({
  store,
  names,
  context,
}: FileSession): Promise<{ uploads: RecordedUpload[]; intents: RecordedIntent[] }> {
  const isHere = ({ place, key }: Artifact) =>
    place === store.place || (place === store.legacyPlace && names.isOfInterval(String(key)));
  const recorded = await listArtifactsAt(isHere, context);
  return {
    uploads: recorded.flatMap(({ id, artifact }) => (isIntent(artifact) ? [] : { id, upload: toUpload(artifact) })),
    intents: recorded.flatMap(({ id, artifact }) => (isIntent(artifact) ? { id, key: String(artifact['key']) } : [])),
  };
}

export async function listRecordedUploads(session: FileSession): Promise<RecordedUpload[]> {
  return (await listRecorded(session)).uploads;
}

/** Versioned keys of recorded uploads that are visible but not in the manifest, because an interrupted commit revealed them. */
export async function findFilesNotInManifest(
  { store, names }: FileSession,
  recorded: readonly RecordedUpload[],
  inManifest: { has(key: string): boolean },
): Promise<string[]> {
  const keys = new Set(recorded.map(({ upload }) => upload.key));
  const candidates = [...keys].filter((key) => names.isVersioned(key) && !inManifest.has(key));
  const visible = await severalAtOnce(candidates, async (key) => ((await store.head(key)) ? [key] : []));
  return visible.flat();
}

export const isIntent = (artifact: Artifact) => artifact['id'] === undefined;

function toUpload(artifact: Artifact): Upload {
  const { key, id, token } = artifact as Upload;
  return { key, id, token };
}
