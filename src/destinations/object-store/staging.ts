/** Uploads of one session: recorded before their first byte, filled, revealed, and found again by another worker. */
import { randomBytes } from 'node:crypto';
import { DestinationUnavailable, Superseded } from '../../errors.ts';
import type { Artifact, Delivery, SessionContext } from '../contract.ts';
import { artifactsAt } from '../recorded.ts';
import type { Names } from './keys.ts';
import { UploadGone, type ObjectStore, type StagedUpload, type Upload } from './store.ts';
import { fill } from './upload.ts';

export type FileSession = {
  store: ObjectStore;
  names: Names;
  delivery: Delivery;
  context: SessionContext;
};

/** What one part's `write` hands to `commit`. */
export type StagedFile = StagedUpload & { artifactId: string };

/** An open upload as our database remembers it. */
type RecordedUpload = { id: string; upload: Upload };

/** Opens an upload and records it before its first byte. @throws Superseded when a later epoch has taken the interval */
export async function openUpload({ store, context }: FileSession, key: string): Promise<RecordedUpload> {
  const upload = await store.begin(key, randomBytes(16).toString('hex'));
  try {
    const id = await context.artifacts.record({ place: store.place, ...upload });
    return { id, upload };
  } catch (error) {
    await store.abort(upload).catch(() => {});
    throw error;
  }
}

/**
 * Fills an open upload. A failure leaves nothing behind where the store can still be reached.
 * @param check throws when the content turns out not to be what was planned
 */
export async function stage(
  { store, context }: FileSession,
  { id, upload }: RecordedUpload,
  content: AsyncIterable<Uint8Array>,
  check: () => unknown = () => {},
): Promise<StagedFile> {
  try {
    const staged = await fill(store, upload, content);
    check();
    return { ...staged, artifactId: id };
  } catch (error) {
    await store.abort(upload).then(
      () => context.artifacts.discard([id]),
      () => {},
    );
    if (!(error instanceof UploadGone)) throw error;
    throw new DestinationUnavailable('The upload was aborted at the destination while it was being written.', {
      cause: error,
    });
  }
}

/**
 * Makes a staged upload visible. Its upload may be gone because an earlier, interrupted call completed it: then the visible
 * object says so.
 * @throws Superseded when the upload is gone and the visible object is another one
 */
export async function reveal({ store }: FileSession, staged: StagedUpload): Promise<void> {
  try {
    await store.complete(staged);
  } catch (error) {
    if (!(error instanceof UploadGone)) throw error;
    const visible = await store.head(staged.key);
    if (visible?.identity === staged.identity) return;
    throw new Superseded('Another run has taken over this data interval.', { cause: error });
  }
}

/** The uploads of this interval that our database knows, up to our epoch, at the present place. */
export async function recordedUploads({ store, context }: FileSession): Promise<RecordedUpload[]> {
  const recorded = await artifactsAt(store.place, context);
  return recorded.map(({ id, artifact }) => ({ id, upload: toUpload(artifact) }));
}

function toUpload(artifact: Artifact): Upload {
  const { key, id, token } = artifact as Upload;
  return { key, id, token };
}
