/** A session on any object store: files are staged as invisible uploads until `commit.ts` makes them the interval's content. */
import { DestinationRejected } from '../../../platform/errors.ts';
import type { PartSource, Receipt, Session } from '../contract.ts';
import type { StagedPart } from '../delivery.ts';
import type { Part } from '../delivery.ts';
import { severalAtOnce } from '../at-once.ts';
import { commitFiles } from './commit.ts';
import { deleteSuperseded } from './delete-superseded.ts';
import { locationOf, readManifest, readOwnManifest, receiptOf } from './manifest.ts';
import { isOurs } from './ownership.ts';
import {
  openUpload,
  listRecorded,
  listRecordedUploads,
  stage,
  findFilesNotInManifest,
  type FileSession,
  type RecordedUpload,
} from './staging.ts';
import { markSuccess } from './success.ts';
import { sweep } from './sweep.ts';
import { searchFiles, verifyFiles } from './verify.ts';

/**
 * Size of the batches in which uploads are discarded, and recorded as discarded, so an interrupted caller can continue with the rest.
 */
const DISCARDED_AT_ONCE = 100;

export function fileSession(session: FileSession): Session {
  const { store, names, delivery, context } = session;
  return {
    location: locationOf(store, names.manifest),
    async write(part: Part, source: PartSource): Promise<StagedPart> {
      const opened = await openUpload(session, names.file(part.index));
      await context.step(`part-${part.index}-begin`);
      const staged = await stage(session, opened, source.file(), () => source.summary());
      await context.step(`part-${part.index}-end`);
      return { ...source.summary(), index: part.index, staged };
    },
    commit: (parts) => commitFiles(session, parts),
    async findReceipt(): Promise<Receipt | undefined> {
      const manifest = await readManifest(store, names.manifest, delivery);
      if (manifest?.state !== 'complete' || manifest.epoch !== delivery.epoch) return undefined;
      const isThisDelivery =
        manifest.run_id === undefined
          ? await isOurs(session, manifest, await listRecordedUploads(session))
          : manifest.run_id === delivery.runId;
      if (!isThisDelivery) return undefined;
      // A commit that was killed after its manifest has not written the mark. A store that refuses the mark has the delivery all the same.
      await markSuccess(session).catch((error: unknown) => {
        context.signal.throwIfAborted();
        if (!(error instanceof DestinationRejected)) throw error;
      });
      return receiptOf(store, names.manifest, manifest, delivery.cutoff);
    },
    async findPresentDelivery() {
      const manifest = await readOwnManifest(store, names.manifest, delivery);
      if (!manifest) return undefined;
      const known = await isOurs(session, manifest, await listRecordedUploads(session));
      return { receipt: receiptOf(store, names.manifest, manifest), isKnown: known };
    },
    verify: (receipt, { deep }) => verifyFiles(session, receipt, deep),
    search: (receipt, search) => searchFiles(session, receipt, search),
    async discard() {
      const { uploads: recorded, intents } = await listRecorded(session);
      // tooth: store-sweep
      await sweep(session, intents);
      const keptIds: string[] = [];
      for (let from = 0; from < recorded.length; from += DISCARDED_AT_ONCE)
        keptIds.push(...(await discardUploads(session, recorded.slice(from, from + DISCARDED_AT_ONCE))));
      return keptIds;
    },
    deleteSuperseded: (due) => deleteSuperseded(session, due),
    async close() {
      store.close();
    },
  };
}

/** Aborts the uploads, and forgets their records, except for those that are the only trace of a file. @returns ids of the kept records */
async function discardUploads(session: FileSession, recorded: RecordedUpload[]): Promise<string[]> {
  const { store, names, delivery, context } = session;
  await severalAtOnce(recorded, ({ upload }) => store.abort(upload));
  const manifest = await readManifest(store, names.manifest, delivery);
  const named = new Set(manifest?.files.map(({ key }) => key));
  await context.recordSuperseded(await findFilesNotInManifest(session, recorded, named));
  const onlyTraceFlags = await severalAtOnce(recorded, async ({ upload }) => {
    // An interrupted commit may have made the file visible; until a manifest names it, our record is the only trace.
    const isStable = names.isFile(upload.key) && !names.isVersioned(upload.key);
    return isStable && !named.has(upload.key) && (await store.head(upload.key)) !== undefined;
  });
  const ids = recorded.map(({ id }) => id);
  await context.artifacts.discard(ids.filter((_, index) => !onlyTraceFlags[index]));
  return ids.filter((_, index) => onlyTraceFlags[index]);
}
