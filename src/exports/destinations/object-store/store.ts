/**
 * The store of objects that a session needs. Deliberately small: a store does not know intervals, manifests or epochs.
 *
 * Stores keep no state between calls, because the worker that completes an upload is seldom the one that wrote it. Errors
 * are translated (`DestinationRejected`, `DestinationUnavailable`), except for the two below, which the session handles.
 */

/** An upload as the store itself reports it. */
export type BegunUpload = {
  key: string;
  /** Id that the store gave the upload. */
  id: string;
};

/** An upload that was begun and is not visible. JSON-safe. */
export type Upload = BegunUpload & {
  /** Random; identifies the object that this upload makes. */
  token: string;
};

/** A stored piece of an upload, with the fields that completing the upload needs. */
export type StoredPiece = { number: number; tag: string; checksum?: string };

/** An upload with all its content, ready to become visible. JSON-safe. */
export type StagedUpload = Upload & {
  parts: StoredPiece[];
  bytes: number;
  /** Hex. */
  sha256: string;
  /** The identity that `head` returns once this upload has made the object. */
  identity: string;
  checksum: string | null;
};

/** `tag`: value that a conditional write compares; null if the store gives none. */
export type ObjectHead = { bytes: number; identity: string; checksum: string | null; tag: string | null };

/** The only object that an upload may replace: the one with that tag; `absent` if there must be none. */
export type Replaces = { tag: string } | 'absent';

export type PieceBytes = { number: number; offset: number; bytes: Uint8Array };

/** Size and checksums of a whole upload's content. */
export type ContentSums = { bytes: number; sha256: string; crc32: number };

export type ObjectStore = {
  /** Limit of pieces of one upload that are sent at once, and the minimum size of each piece but the last. */
  piecesInFlight: number;
  minPieceBytes: number;
  /** The store and the folder, see `Destination.place`; uploads that were recorded at another place are left alone. */
  place: string;
  /** The place as earlier versions recorded it: the store without the folder. */
  legacyPlace: string;
  /** For a person, without host or credentials: `s3://bucket/key`. */
  locate(key: string): string;
  /**
   * Opens an upload for this key; it stays invisible until it is completed.
   * @param onUnknownOutcome called if another upload may have been opened, because a request got no answer
   */
  begin(key: string, token: string, onUnknownOutcome?: () => void): Promise<Upload>;
  /**
   * Uploads of exactly this key that were begun and have not ended; `denied` when the store refuses to list them. Takes a whole key, because some
   * stores (MinIO) do not list uploads by a part of their keys.
   */
  listUnfinishedUploads(key: string): Promise<BegunUpload[] | 'denied'>;
  /** @throws UploadGone when the upload was aborted */
  putPiece(upload: Upload, part: PieceBytes): Promise<StoredPiece>;
  /** The identity and checksum that `head` will return for this upload's object. */
  identify(upload: Upload, sums: ContentSums): Pick<StagedUpload, 'identity' | 'checksum'>;
  /**
   * Makes the upload the object, replacing what was there.
   * @param replaces the only object that may be replaced; a store without conditional writes replaces any object
   * @throws UploadGone when it was aborted or completed before; ObjectChanged when the current object is not the one that it may replace
   */
  complete(upload: StagedUpload, replaces?: Replaces): Promise<void>;
  /** Returns when the store itself says that the upload is gone: it can no longer become visible. */
  abort(upload: BegunUpload): Promise<void>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** The object's bytes; undefined when there is none. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Keys of all objects that begin with the prefix. */
  list(prefix: string): AsyncIterable<string>;
  /** Deletes an object, if it exists. @returns `denied` when the store does not permit deletes */
  remove(key: string): Promise<'removed' | 'denied'>;
  close(): void;
};

/** The store no longer knows the upload: aborted by a later delivery, or already completed. Never leaves this folder. */
export class UploadGone extends Error {}

/** The object is not what a conditional write may replace. Never leaves this folder. */
export class ObjectChanged extends Error {}

export type WholeObjectStore = ObjectStore & {
  /** Writes an object by one request: a kill leaves it whole or absent. It cannot be fenced, so the key must be the writer's own. */
  put(key: string, bytes: Uint8Array): Promise<void>;
};

/** Reads a body; an interruption counts as the store's failure too. @param fail handles it */
export async function* readBody(
  body: AsyncIterable<unknown>,
  fail: (error: unknown) => never,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    fail(error);
  }
}
