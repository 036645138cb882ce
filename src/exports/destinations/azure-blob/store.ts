/** Blobs in a container, over Azure's own API. See `staging.ts` for the reason why files are copied to their names. */
import type { BlobGetPropertiesResponse, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { createHash } from 'node:crypto';
import {
  ObjectChanged,
  readBody,
  UploadGone,
  type BegunUpload,
  type Replaces,
  type StagedUpload,
  type WholeObjectStore,
} from '../object-store/store.ts';
import { uploadName, uploadsOf } from '../object-store/upload-names.ts';
import { codeOf, isUnanswered, statusOf, translate, type AzureAction } from './errors.ts';
import { azureFault } from './faults.ts';
import { bareTag, blockId, idOf, METADATA, openingTag } from './staging.ts';

const MIB = 1024 * 1024;
/** Time limit of a call without content. */
const CALL_MS = 60_000;
/** Time limit of a piece (eight MiB at 30 kB/s) and of a copy. */
const PIECE_MS = 300_000;
const COPY_POLL_MS = 1000;
/** Azure's size limit of a copy that is complete when the request is answered. */
const ONE_CALL_COPY_BYTES = 256 * MIB;

export type AzureStoreOptions = {
  container: ContainerClient;
  place: string;
  /** The address of a blob from which the store may copy. */
  copySource(blob: BlockBlobClient): Promise<string>;
  /** Whether the credentials have expired. */
  isExpired(): boolean;
  signal: AbortSignal;
  onClose(): void;
  /** Larger files are copied in the background. */
  oneCallCopyBytes?: number;
};

export function azureStore(options: AzureStoreOptions): WholeObjectStore {
  const { container, place, copySource, signal, onClose, oneCallCopyBytes = ONE_CALL_COPY_BYTES } = options;
  const timeLimit = (milliseconds: number) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]),
  });
  const blobOf = (key: string) => container.getBlockBlobClient(key);
  const uploadBlob = (upload: BegunUpload) => blobOf(uploadName(upload));

  /** Makes a handler that translates errors; a cancelled attempt must not be reported as a store that does not answer. */
  const throwFailureOf =
    (action: AzureAction) =>
    (error: unknown): never => {
      signal.throwIfAborted();
      return translate(error, { action, isExpired: options.isExpired() });
    };

  async function propertiesOf(blob: BlockBlobClient): Promise<BlobGetPropertiesResponse | undefined> {
    try {
      return await blob.getProperties(timeLimit(CALL_MS));
    } catch (error) {
      return isAbsent(error) ? undefined : throwFailureOf('read')(error);
    }
  }

  /** @throws UploadGone unless this upload's content is committed to its own blob, now or by an interrupted call */
  async function commitContent(upload: StagedUpload, blob: BlockBlobClient): Promise<void> {
    const blocks = upload.parts.flatMap(({ tag }) => (tag === '' ? [] : tag));
    const metadata = { ...metadataOf(upload), [METADATA.opened]: bareTag(openingTag(upload)) };
    try {
      // tooth: azure-upload-condition
      const conditions = { ifMatch: openingTag(upload) };
      await blob.commitBlockList(blocks, { metadata, conditions, ...timeLimit(CALL_MS) });
    } catch (error) {
      if (!isAbsent(error) && !isChanged(error) && codeOf(error) !== 'InvalidBlockList') throwFailureOf('write')(error);
      const found = await propertiesOf(blob);
      if (found?.metadata?.[METADATA.token] !== upload.token) throw new UploadGone();
    }
  }

  /** @throws ObjectChanged, UploadGone */
  async function copyToName(
    upload: StagedUpload,
    from: BlockBlobClient,
    replaces: Replaces | undefined,
  ): Promise<void> {
    const to = blobOf(upload.key);
    const how = { metadata: metadataOf(upload), conditions: conditionOf(replaces), ...timeLimit(PIECE_MS) };
    try {
      const source = await copySource(from);
      const { copyStatus } =
        upload.bytes <= oneCallCopyBytes
          ? await to.syncCopyFromURL(source, how)
          : await (await to.beginCopyFromURL(source, { ...how, intervalInMs: COPY_POLL_MS })).pollUntilDone();
      if (copyStatus !== 'success') throw azureFault('copy_failed');
    } catch (error) {
      if (isChanged(error)) throw new ObjectChanged();
      if (statusOf(error) !== NOT_FOUND) throwFailureOf('write')(error);
      // Either the source or the blob to be replaced is not there.
      if (!(await propertiesOf(from))) throw new UploadGone();
      if (replaces !== undefined && replaces !== 'absent' && !(await propertiesOf(to))) throw new ObjectChanged();
      throwFailureOf('write')(error);
    }
  }

  async function abort(upload: BegunUpload): Promise<void> {
    try {
      await uploadBlob(upload).delete(timeLimit(CALL_MS));
    } catch (error) {
      if (!isAbsent(error)) throwFailureOf('delete')(error);
    }
  }

  return {
    piecesInFlight: 3,
    minPieceBytes: 8 * MIB,
    place,
    legacyPlace: place,
    locate: (key) => `azure://${container.containerName}/${key}`,
    async begin(key, token, onUnknownOutcome) {
      const blob = blobOf(`${uploadsOf(key)}${token}`);
      try {
        const { etag } = await blob.upload('', 0, { conditions: { ifNoneMatch: '*' }, ...timeLimit(CALL_MS) });
        if (etag) return { key, id: idOf(token, etag), token };
      } catch (error) {
        if (isUnanswered(error)) onUnknownOutcome?.();
        // An existing blob is ours, because no other attempt knows the token: the SDK repeated a request whose answer was lost.
        if (codeOf(error) !== 'BlobAlreadyExists') throwFailureOf('write')(error);
      }
      const found = await propertiesOf(blob);
      if (!found?.etag) throw azureFault('answer_incomplete');
      return { key, id: idOf(token, found.etag), token };
    },
    async listUnfinishedUploads(key) {
      const prefix = uploadsOf(key);
      const found: BegunUpload[] = [];
      try {
        for await (const { name, properties, metadata } of container.listBlobsFlat({
          prefix,
          includeMetadata: true,
          ...timeLimit(CALL_MS),
        })) {
          found.push({ key, id: idOf(name.slice(prefix.length), metadata?.[METADATA.opened] ?? properties.etag) });
        }
      } catch (error) {
        throwFailureOf('list')(error);
      }
      return found;
    },
    async putPiece(upload, { number, bytes }) {
      const blob = uploadBlob(upload);
      // Blocks of a deleted blob are harmless; Azure removes them after a week.
      if (!(await propertiesOf(blob))) throw new UploadGone();
      if (bytes.length === 0) return { number, tag: '' };
      const id = blockId(number);
      const transactionalContentMD5 = createHash('md5').update(bytes).digest();
      await blob
        .stageBlock(id, bytes, bytes.length, { transactionalContentMD5, ...timeLimit(PIECE_MS) })
        .catch(throwFailureOf('write'));
      return { number, tag: id };
    },
    identify: ({ token }, { sha256 }) => ({ identity: token, checksum: `sha256:${sha256}` }),
    async complete(upload, replaces) {
      const blob = uploadBlob(upload);
      await commitContent(upload, blob);
      await copyToName(upload, blob, replaces);
      await abort(upload);
    },
    abort,
    async head(key) {
      const found = await propertiesOf(blobOf(key));
      if (!found) return undefined;
      const { contentLength = -1, metadata = {}, copyStatus = 'success', etag = null } = found;
      // The content of a copy under way may be incomplete.
      const identity = copyStatus === 'success' ? (metadata[METADATA.token] ?? '') : '';
      const sha256 = metadata[METADATA.sha256];
      return { bytes: contentLength, identity, checksum: sha256 ? `sha256:${sha256}` : null, tag: etag };
    },
    async get(key) {
      try {
        const { readableStreamBody } = await blobOf(key).download(0, undefined, { abortSignal: signal });
        return readableStreamBody ? readBody(readableStreamBody, throwFailureOf('read')) : undefined;
      } catch (error) {
        return isAbsent(error) ? undefined : throwFailureOf('read')(error);
      }
    },
    async *list(prefix) {
      try {
        for await (const { name } of container.listBlobsFlat({ prefix, abortSignal: signal })) yield name;
      } catch (error) {
        throwFailureOf('list')(error);
      }
    },
    async remove(key) {
      try {
        await blobOf(key).delete(timeLimit(CALL_MS));
        return 'removed';
      } catch (error) {
        if (isAbsent(error)) return 'removed';
        if (isRefused(error)) return 'denied';
        return throwFailureOf('delete')(error);
      }
    },
    async put(key, bytes) {
      const transactionalContentMD5 = createHash('md5').update(bytes).digest();
      const how = { blobHTTPHeaders: { blobContentMD5: transactionalContentMD5 }, ...timeLimit(PIECE_MS) };
      await blobOf(key).upload(bytes, bytes.length, how).catch(throwFailureOf('write'));
    },
    close: onClose,
  };
}

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;
/** Codes of deletes that would be refused again. */
const REFUSED = new Set([
  'AuthorizationPermissionMismatch',
  'AuthorizationResourceTypeMismatch',
  'InsufficientAccountPermissions',
  'BlobImmutableDueToPolicy',
  'LeaseIdMissing',
  'SnapshotsPresent',
]);

const metadataOf = ({ token, sha256 }: StagedUpload) => ({ [METADATA.token]: token, [METADATA.sha256]: sha256 });

function conditionOf(replaces: Replaces | undefined) {
  if (replaces === undefined) return {};
  return replaces === 'absent' ? { ifNoneMatch: '*' } : { ifMatch: replaces.tag };
}

/** Whether the blob is not there; a missing container is another matter. */
function isAbsent(error: unknown): boolean {
  return statusOf(error) === NOT_FOUND && codeOf(error) !== 'ContainerNotFound';
}

/** Whether the blob is not the one that a condition permits. */
function isChanged(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'BlobAlreadyExists' || (statusOf(error) === PRECONDITION_FAILED && code !== 'LeaseIdMissing');
}

const isRefused = (error: unknown) => REFUSED.has(codeOf(error));
