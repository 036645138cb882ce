/**
 * Objects in a bucket, over Google's JSON API. A resumable session cannot be used for an upload: its condition is fixed when it begins, before it
 * is known which object the upload will replace, and no other worker can list sessions or be sure that they have ended.
 *
 * An upload is therefore an empty object of its own, its anchor, with its pieces as objects beside it. Its completion composes all of them to the
 * file's name, in one request, on the conditions that the anchor has the generation in the upload's id, and that the file is still the one to
 * be replaced. Once `abort` has deleted the anchor, no object ever has that generation again, so the upload cannot become visible.
 */
import { createHash } from 'node:crypto';
import { severalAtOnce } from '../at-once.ts';
import {
  ObjectChanged,
  readBody,
  UploadGone,
  type BegunUpload,
  type Replaces,
  type StagedUpload,
  type WholeObjectStore,
} from '../object-store/store.ts';
import { FILE_METADATA, uploadId, uploadName, uploadsOf, versionOf } from '../object-store/upload-names.ts';
import type { GcsClient } from './client.ts';
import { statusOf, translate, type GcsAction } from './errors.ts';
import { gcsFault } from './faults.ts';
import { listObjects, type ListOptions, type Version } from './listing.ts';

const MIB = 1024 * 1024;
/** Time limit of a piece: eight MiB at 30 kB/s; and of composing. */
const PIECE_MS = 300_000;
/** Google's limit of objects that one request composes. */
const MAX_SOURCES = 32;
const VERSIONS = { fields: 'name,generation' };
/** Limits of pages of a thousand objects each, and of listings, which guard against a store whose listing never ends. */
const MAX_UPLOAD_PAGES = 20;
const MAX_ABORT_ROUNDS = 20;
/** Stands for the anchor's generation where the anchor is gone, and pieces are left. */
const NO_GENERATION = '0';

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;
const FORBIDDEN = 403;

type Attributes = {
  generation: string;
  size?: string;
  md5Hash?: string;
  metadata?: Record<string, string>;
};

export type GcsStoreOptions = {
  client: GcsClient;
  bucket: string;
  place: string;
  signal: AbortSignal;
};

export function gcsStore({ client, bucket, place, signal }: GcsStoreOptions): WholeObjectStore {
  const objects = `/storage/v1/b/${encodeURIComponent(bucket)}/o`;
  const pathOf = (name: string, query: Record<string, string> = {}) =>
    `${objects}/${encodeURIComponent(name)}?${new URLSearchParams(query).toString()}`;

  /** Makes a handler that translates errors; a cancelled attempt must not be reported as a store that does not answer. */
  const throwFailureOf =
    (action: GcsAction) =>
    (error: unknown): never => {
      signal.throwIfAborted();
      return translate(error, action);
    };

  async function find(name: string): Promise<Attributes | undefined> {
    try {
      const fields = 'generation,size,md5Hash,metadata';
      return (await client.call({ method: 'GET', path: pathOf(name, { fields }) })) as Attributes;
    } catch (error) {
      return statusOf(error) === NOT_FOUND ? undefined : throwFailureOf('read')(error);
    }
  }

  const list = (prefix: string, options?: ListOptions) =>
    listObjects(client, objects, prefix, throwFailureOf('list'), options);

  /** Creates an object whose name no other attempt knows. @returns its generation */
  async function create(name: string, bytes: Uint8Array, onUnanswered?: () => void): Promise<string> {
    const md5 = createHash('md5').update(bytes).digest('base64');
    const query = new URLSearchParams({
      uploadType: 'media',
      name,
      ifGenerationMatch: '0',
      fields: 'generation,md5Hash',
    });
    try {
      const created = (await client.call({
        method: 'POST',
        path: `/upload${objects}?${query.toString()}`,
        body: bytes,
        timeoutMs: PIECE_MS,
        ...(onUnanswered && { onUnanswered }),
      })) as Attributes;
      if (created.md5Hash !== md5) throw gcsFault('content_damaged');
      return created.generation;
    } catch (error) {
      if (statusOf(error) !== PRECONDITION_FAILED) throwFailureOf('write')(error);
    }
    // The client repeated a request whose answer was lost.
    const found = await find(name);
    if (found?.md5Hash !== md5) throw gcsFault('answer_incomplete');
    return found.generation;
  }

  /** Deletes exactly this version, if it exists, also where the bucket keeps earlier versions. */
  async function erase({ name, generation }: Version): Promise<void> {
    const query = generation === NO_GENERATION ? {} : { generation };
    try {
      await client.call({ method: 'DELETE', path: pathOf(name, query) });
    } catch (error) {
      if (statusOf(error) !== NOT_FOUND) throwFailureOf('delete')(error);
    }
  }

  async function isOpen(upload: BegunUpload): Promise<boolean> {
    return (await find(uploadName(upload)))?.generation === versionOf(upload);
  }

  /** Composes the sources in their order, on the condition that each is live in exactly this version. @returns the result's generation */
  async function compose(
    name: string,
    sources: readonly Version[],
    replaces: Replaces | undefined,
    metadata: Record<string, string> = {},
  ): Promise<string> {
    const query = { fields: 'generation', ...(replaces && { ifGenerationMatch: generationOf(replaces) }) };
    const { generation } = await client.call({
      method: 'POST',
      path: pathOf(name, query).replace('?', '/compose?'),
      body: {
        // Without `generation`, which would also name a version that was deleted in a bucket that keeps those.
        sourceObjects: sources.map((source) => ({
          name: source.name,
          // tooth: gcs-anchor-condition
          objectPreconditions: { ifGenerationMatch: source.generation },
        })),
        destination: { contentType: 'application/octet-stream', metadata },
      },
      timeoutMs: PIECE_MS,
    });
    return String(generation);
  }

  /** Composes intermediate objects until few enough are left to be composed to the file with the anchor. @returns all of them, and the last ones */
  async function gather(upload: StagedUpload): Promise<{ sources: Version[]; all: Version[] }> {
    let sources = upload.parts.flatMap(({ number, tag }) =>
      tag === '' ? [] : { name: pieceName(upload, number), generation: tag },
    );
    const all = [...sources];
    for (let level = 1; sources.length >= MAX_SOURCES; level++) {
      sources = await severalAtOnce(inGroups(sources), async (group, index) => {
        const name = `${uploadName(upload)}.${level}-${index}`;
        try {
          return { name, generation: await compose(name, group, 'absent') };
        } catch (error) {
          // An interrupted call has composed it.
          const found = statusOf(error) === PRECONDITION_FAILED ? await find(name) : undefined;
          if (!found) throw error;
          return { name, generation: found.generation };
        }
      });
      all.push(...sources);
    }
    return { sources, all };
  }

  /** @throws always: UploadGone or ObjectChanged if that is why the store refused to compose */
  async function explain(error: unknown, upload: StagedUpload, replaces: Replaces | undefined): Promise<never> {
    if (statusOf(error) !== NOT_FOUND && statusOf(error) !== PRECONDITION_FAILED) throwFailureOf('write')(error);
    if (!(await isOpen(upload))) {
      // The store's answer is the same where the bucket is gone, which the listing finds.
      for await (const _ of list(uploadName(upload))) break;
      throw new UploadGone();
    }
    const present = await find(upload.key);
    if (replaces && (present?.generation ?? NO_GENERATION) !== generationOf(replaces)) throw new ObjectChanged();
    return throwFailureOf('write')(error);
  }

  async function abort(upload: BegunUpload): Promise<void> {
    await erase(anchorOf(upload));
    // A piece in transit may arrive meanwhile.
    for (let round = 0; round < MAX_ABORT_ROUNDS; round++) {
      const left = await Array.fromAsync(list(`${uploadName(upload)}.`, { ...VERSIONS, maxPages: MAX_UPLOAD_PAGES }));
      if (left.length === 0) return;
      await severalAtOnce(left, erase);
    }
    throw gcsFault('listing_endless');
  }

  return {
    piecesInFlight: 3,
    minPieceBytes: 8 * MIB,
    place,
    legacyPlace: place,
    locate: (key) => `gs://${bucket}/${key}`,
    async begin(key, token, onUnknownOutcome) {
      const generation = await create(`${uploadsOf(key)}${token}`, new Uint8Array(), onUnknownOutcome);
      return { key, id: uploadId(token, generation), token };
    },
    async listUnfinishedUploads(key) {
      const prefix = uploadsOf(key);
      const found = new Map<string, string>();
      for await (const { name, generation } of list(prefix, { ...VERSIONS, maxPages: MAX_UPLOAD_PAGES })) {
        const [token = '', piece] = name.slice(prefix.length).split('.');
        if (piece === undefined) found.set(token, generation);
        else if (!found.has(token)) found.set(token, NO_GENERATION);
      }
      return [...found].map(([token, generation]) => ({ key, id: uploadId(token, generation) }));
    },
    async putPiece(upload, { number, bytes }) {
      const name = pieceName(upload, number);
      const tag = bytes.length === 0 ? '' : await create(name, bytes);
      if (await isOpen(upload)) return { number, tag };
      if (tag !== '') await erase({ name, generation: tag });
      throw new UploadGone();
    },
    identify: ({ token }, { sha256 }) => ({ identity: token, checksum: `sha256:${sha256}` }),
    async complete(upload, replaces) {
      const metadata = { [FILE_METADATA.token]: upload.token, [FILE_METADATA.sha256]: upload.sha256 };
      let staged: Version[] = [];
      try {
        const { sources, all } = await gather(upload);
        staged = all;
        await compose(upload.key, [anchorOf(upload), ...sources], replaces, metadata);
      } catch (error) {
        await explain(error, upload, replaces);
      }
      await erase(anchorOf(upload));
      await severalAtOnce(staged, erase);
    },
    abort,
    async head(key) {
      const found = await find(key);
      if (!found) return undefined;
      const { size, metadata = {}, generation } = found;
      const sha256 = metadata[FILE_METADATA.sha256];
      return {
        bytes: Number(size ?? -1),
        identity: metadata[FILE_METADATA.token] ?? '',
        checksum: sha256 ? `sha256:${sha256}` : null,
        tag: generation,
      };
    },
    async get(key) {
      try {
        return readBody(await client.download(pathOf(key, { alt: 'media' })), throwFailureOf('read'));
      } catch (error) {
        return statusOf(error) === NOT_FOUND ? undefined : throwFailureOf('read')(error);
      }
    },
    async *list(prefix) {
      for await (const { name } of list(prefix)) yield name;
    },
    async remove(key) {
      try {
        await client.call({ method: 'DELETE', path: pathOf(key) });
        return 'removed';
      } catch (error) {
        if (statusOf(error) === NOT_FOUND) return 'removed';
        if (statusOf(error) === FORBIDDEN) return 'denied';
        return throwFailureOf('delete')(error);
      }
    },
    put: async (key, bytes) => void (await create(key, bytes)),
    close: client.close,
  };
}

const generationOf = (replaces: Replaces) => (replaces === 'absent' ? NO_GENERATION : replaces.tag);

const anchorOf = (upload: BegunUpload): Version => ({ name: uploadName(upload), generation: versionOf(upload) });

export const pieceName = (upload: BegunUpload, number: number) => `${uploadName(upload)}.${number}`;

function inGroups(sources: readonly Version[]): Version[][] {
  const count = Math.ceil(sources.length / MAX_SOURCES);
  return Array.from({ length: count }, (_, index) => sources.slice(index * MAX_SOURCES, (index + 1) * MAX_SOURCES));
}
