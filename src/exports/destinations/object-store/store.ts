/**
 * The store of objects that a session needs. Deliberately small: a store does not know intervals, manifests or epochs.
 *
 * Everything here is stateless between calls: the worker that completes an upload is seldom the one that wrote it. Errors
 * are translated (`DestinationRejected`, `DestinationUnavailable`) except the two answers that the session acts on.
 */

/** An upload as the store itself reports it. */
export type BegunUpload = {
  key: string;
  /** The store's own name of the upload. */
  id: string;
};

/** An upload that was begun and is not visible. JSON-safe. */
export type Upload = BegunUpload & {
  /** Random; tells this upload's object from every other one's. */
  token: string;
};

/** One stored piece of an upload, as completing it asks for it. */
export type StoredPart = { number: number; tag: string; checksum?: string };

/** An upload with all its content, ready to become visible. JSON-safe. */
export type StagedUpload = Upload & {
  parts: StoredPart[];
  bytes: number;
  /** Hex. */
  sha256: string;
  /** The identity that `head` will give once this upload has made the object. */
  identity: string;
  checksum: string | null;
};

/** `tag`: value that a conditional write compares; null if the store gives none. */
export type ObjectHead = { bytes: number; identity: string; checksum: string | null; tag: string | null };

/** The object that an upload may replace: the one with that tag; `absent` if none may be there. */
export type Replaces = { tag: string } | 'absent';

export type PartBytes = { number: number; offset: number; bytes: Uint8Array };

/** Size and checksums of a whole upload's content. */
export type ContentSums = { bytes: number; sha256: string; crc32: number };

export type ObjectStore = {
  /** Pieces of one upload that may be stored at once, and the fewest bytes of each piece but the last. */
  partsInFlight: number;
  partBytes: number;
  /** Which store and folder this is, as `Destination.place` says it: uploads recorded at another place are not ours to touch. */
  place: string;
  /** The place as earlier versions recorded it: the store without the folder. */
  formerPlace: string;
  /** For a person, without host or credentials: `s3://bucket/key`. */
  locate(key: string): string;
  /**
   * Opens an upload for this key; it stays invisible until it is completed.
   * @param inDoubt called when an upload may also have been opened without an answer
   */
  begin(key: string, token: string, inDoubt?: () => void): Promise<Upload>;
  /**
   * Uploads of exactly this key that were begun and have not ended; `denied` when the store refuses to list them. Takes a whole key, because some
   * stores (MinIO) do not list uploads by a part of their keys.
   */
  unfinishedUploads(key: string): Promise<BegunUpload[] | 'denied'>;
  /** @throws UploadGone when the upload was aborted */
  putPart(upload: Upload, part: PartBytes): Promise<StoredPart>;
  /** The names under which `head` will show this upload's object. */
  identify(upload: Upload, sums: ContentSums): Pick<StagedUpload, 'identity' | 'checksum'>;
  /**
   * Makes the upload the object, replacing what was there.
   * @param replaces the only object that may be replaced; a store without conditional writes replaces any object
   * @throws UploadGone when it was aborted or completed before; ObjectChanged when another object is there than it may replace
   */
  complete(upload: StagedUpload, replaces?: Replaces): Promise<void>;
  /** Returns when the store itself says that the upload is gone: it can no longer become visible. */
  abort(upload: BegunUpload): Promise<void>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** The object's bytes; undefined when there is none. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Keys of all objects with this beginning. */
  list(beginning: string): AsyncIterable<string>;
  /** Deletes an object, if it exists. @returns `denied` when the store does not permit deletes */
  remove(key: string): Promise<'removed' | 'denied'>;
  close(): void;
};

/** The store no longer knows the upload: aborted by a later delivery, or already completed. Never leaves this folder. */
export class UploadGone extends Error {}

/** The object is not what a conditional write may replace. Never leaves this folder. */
export class ObjectChanged extends Error {}
