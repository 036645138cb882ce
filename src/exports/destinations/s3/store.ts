/** Objects in a bucket, over the S3 API. Files of a delivery are multipart uploads, also small ones, because only those can be fenced. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type ChecksumType,
  type S3Client,
  type ServerSideEncryption,
} from '@aws-sdk/client-s3';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  ObjectChanged,
  readBody,
  UploadGone,
  type BegunUpload,
  type Replaces,
  type WholeObjectStore,
} from '../object-store/store.ts';
import { codeOf, consequenceOf, isUnanswered, statusOf, translate, type S3Action } from './errors.ts';
import { s3Fault, type S3FaultCode } from './faults.ts';
import { explainFailedHead } from './refused-region.ts';

const MIB = 1024 * 1024;
/** Time limit of a call without content. */
const CALL_MS = 60_000;
/** Time limit of a piece: eight MiB at 30 kB/s. */
const PIECE_MS = 300_000;
const ABORT_ATTEMPTS = 10;
/** Metadata field of every object that we make; its value is the token of the upload that made the object. */
const TOKEN = 'sluice-upload';

export type S3StoreOptions = {
  client: S3Client;
  /** See `ObjectStore`, also for `legacyPlace`. */
  place: string;
  legacyPlace: string;
  bucket: string;
  encryption: ServerSideEncryption | null;
  kmsKeyId: string | null;
  signal: AbortSignal;
  onClose(): void;
};

export function s3Store(options: S3StoreOptions): WholeObjectStore {
  const { client, place, legacyPlace, bucket, encryption, kmsKeyId, signal, onClose } = options;
  const timeLimit = (milliseconds: number) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]),
  });
  const encrypted = {
    ...(encryption && { ServerSideEncryption: encryption }),
    ...(kmsKeyId && { SSEKMSKeyId: kmsKeyId }),
  };
  const uploadParameters = ({ key, id }: BegunUpload) => ({ Bucket: bucket, Key: key, UploadId: id });

  /** Makes a handler that translates errors; a cancelled attempt must not be reported as a store that does not answer. */
  const throwFailureOf =
    (action: S3Action) =>
    (error: unknown): never => {
      signal.throwIfAborted();
      if (codeOf(error) === 'NoSuchUpload') throw new UploadGone();
      return translate(error, action);
    };

  async function isOpen(upload: BegunUpload): Promise<boolean> {
    try {
      await client.send(new ListPartsCommand({ ...uploadParameters(upload), MaxParts: 1 }), timeLimit(CALL_MS));
      return true;
    } catch (error) {
      if (codeOf(error) === 'NoSuchUpload') return false;
      return throwFailureOf('abort')(error);
    }
  }

  return {
    piecesInFlight: 3,
    minPieceBytes: 8 * MIB,
    place,
    legacyPlace,
    locate: (key) => `s3://${bucket}/${key}`,
    async begin(key, token, onUnknownOutcome) {
      const command = new CreateMultipartUploadCommand({
        Bucket: bucket,
        Key: key,
        Metadata: { [TOKEN]: token },
        ChecksumAlgorithm: 'CRC32',
        ChecksumType: FULL_OBJECT,
        ...encrypted,
      });
      // The SDK repeats a request without an answer, so each repetition may have opened an upload.
      command.middlewareStack.add(
        (next) => async (input) =>
          next(input).catch((error: unknown) => {
            if (isUnanswered(error)) onUnknownOutcome?.();
            throw error;
          }),
        { step: 'deserialize', priority: 'high', name: 'seeDoubt' },
      );
      const { UploadId: id } = await client.send(command, timeLimit(CALL_MS)).catch(throwFailureOf('write'));
      if (!id) {
        onUnknownOutcome?.();
        throw s3Fault('answer_incomplete', { sentence: 'The store did not name the upload that it opened.' });
      }
      return { key, id, token };
    },
    async listUnfinishedUploads(key) {
      const found: BegunUpload[] = [];
      let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
      try {
        for (let page = 0; page < LISTED_PAGES; page++) {
          const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key, ...from });
          const { Uploads = [], ...listed } = await client.send(command, timeLimit(CALL_MS));
          for (const { Key, UploadId: id } of Uploads) if (Key === key && id) found.push({ key, id });
          // Keys come in order, and the key itself before longer ones.
          if (!listed.IsTruncated || Uploads.some(({ Key }) => Key !== key)) break;
          from = { KeyMarker: listed.NextKeyMarker, UploadIdMarker: listed.NextUploadIdMarker };
        }
        return found;
      } catch (error) {
        // The store may not support pages after the first.
        if (found.length > 0) return found;
        if (isRefused(error) || consequenceOf(codeOf(error), statusOf(error)).final) return 'denied';
        return throwFailureOf('list')(error);
      }
    },
    async putPiece(upload, { number, bytes }) {
      const sum = base64(crc32(bytes));
      const command = new UploadPartCommand({
        ...uploadParameters(upload),
        PartNumber: number,
        Body: bytes,
        ContentLength: bytes.length,
        ChecksumCRC32: sum,
      });
      const { ETag } = await client.send(command, timeLimit(PIECE_MS)).catch(throwFailureOf('write'));
      if (!ETag) throw s3Fault('answer_incomplete');
      return { number, tag: ETag, checksum: sum };
    },
    identify: ({ token }, sums) => ({ identity: token, checksum: `crc32:${base64(sums.crc32)}` }),
    async complete(upload, replaces) {
      const input = {
        ...uploadParameters(upload),
        MultipartUpload: {
          Parts: upload.parts.map(({ number, tag, checksum }) => ({
            PartNumber: number,
            ETag: tag,
            ChecksumCRC32: checksum,
          })),
        },
        // MinIO has no checksum of an empty upload, and refuses ours.
        ...(upload.bytes > 0 && { ChecksumType: FULL_OBJECT, ChecksumCRC32: upload.checksum?.replace('crc32:', '') }),
      };
      const send = async (condition: object) =>
        client.send(new CompleteMultipartUploadCommand({ ...input, ...condition }), timeLimit(PIECE_MS));
      try {
        await send(conditionOf(replaces)).catch((error: unknown) => {
          // A store without conditional writes says so; the write is then repeated without a condition.
          if (replaces && statusOf(error) === NOT_IMPLEMENTED) return send({});
          throw error;
        });
      } catch (error) {
        if (replaces && isChanged(error)) throw new ObjectChanged();
        // Some stores report missing parts before a missing upload.
        if (codeOf(error) === 'InvalidPart' && !(await isOpen(upload))) throw new UploadGone();
        throwFailureOf('write')(error);
      }
    },
    async abort(upload) {
      // Parts in transit may still arrive, so the upload counts as gone only when the store says so.
      for (let attempt = 0; attempt < ABORT_ATTEMPTS; attempt++) {
        if (attempt > 0) await sleep(100 * 2 ** attempt, undefined, { signal });
        try {
          await client.send(new AbortMultipartUploadCommand(uploadParameters(upload)), timeLimit(CALL_MS));
        } catch (error) {
          if (codeOf(error) === 'NoSuchUpload') return;
          throwFailureOf('abort')(error);
        }
        if (!(await isOpen(upload))) return;
      }
      throw s3Fault('uploads_stay_open');
    },
    async put(key, bytes) {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: bytes,
        ContentLength: bytes.length,
        ChecksumCRC32: base64(crc32(bytes)),
        ...encrypted,
      });
      await client.send(command, timeLimit(PIECE_MS)).catch(throwFailureOf('write'));
    },
    async head(key) {
      try {
        const command = new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' });
        const head = await client.send(command, timeLimit(CALL_MS));
        const isWhole = head.ChecksumCRC32 !== undefined && head.ChecksumType !== 'COMPOSITE';
        return {
          bytes: head.ContentLength ?? -1,
          identity: head.Metadata?.[TOKEN] ?? '',
          checksum: isWhole ? `crc32:${head.ChecksumCRC32}` : null,
          tag: head.ETag ?? null,
        };
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        return throwFailureOf('read')(await explainFailedHead(error, { client, bucket, ...timeLimit(CALL_MS) }));
      }
    },
    async get(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal });
        return Body ? readBody(Body as AsyncIterable<Uint8Array>, throwFailureOf('read')) : undefined;
      } catch (error) {
        if (codeOf(error) === 'NoSuchKey') return undefined;
        return throwFailureOf('read')(error);
      }
    },
    async *list(prefix) {
      for (let after: string | undefined; ;) {
        const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: after });
        const page = await client.send(command, timeLimit(CALL_MS)).catch(throwFailureOf('list'));
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
        after = page.NextContinuationToken;
        if (after === undefined) return;
      }
    },
    async remove(key) {
      try {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }), timeLimit(CALL_MS));
        return 'removed';
      } catch (error) {
        if (isRefused(error)) return 'denied';
        return throwFailureOf('write')(error);
      }
    },
    close: onClose,
  };
}

const FULL_OBJECT: ChecksumType = 'FULL_OBJECT';
const NOT_IMPLEMENTED = 501;
/** Refusals of a call that other calls need not meet with: of a right, of a lock on objects, or because the store has no such call. */
const REFUSALS = new Set<S3FaultCode>([
  'access_denied',
  'request_refused',
  'multipart_unsupported',
  'checksums_unsupported',
]);
/** Pages of a thousand uploads each; the limit guards against a store whose listing never ends. */
const LISTED_PAGES = 100;

/** Whether the store refused an optional call, which deliveries do not need. */
function isRefused(error: unknown): boolean {
  return REFUSALS.has(consequenceOf(codeOf(error), statusOf(error)).code);
}

function conditionOf(replaces: Replaces | undefined) {
  if (replaces === undefined) return {};
  return replaces === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: replaces.tag };
}

/** Whether the object to be replaced is gone, or another one is there. */
function isChanged(error: unknown): boolean {
  return codeOf(error) === 'PreconditionFailed' || statusOf(error) === 412 || codeOf(error) === 'NoSuchKey';
}

function base64(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString('base64');
}
