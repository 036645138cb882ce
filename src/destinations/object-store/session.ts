/** A session on any store of objects: files are staged as uploads that nobody sees, until `commit.ts` makes them the interval. */
import type { Part, PartSource, Receipt, Session, StagedPart } from '../contract.ts';
import { commitFiles } from './commit.ts';
import { locationOf, readManifest, receiptOf } from './manifest.ts';
import { openUpload, recordedUploads, stage, type FileSession } from './staging.ts';
import { verifyFiles } from './verify.ts';

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
    async delivered(): Promise<Receipt | undefined> {
      const manifest = await readManifest(store, names.manifest, delivery);
      const ours = manifest?.state === 'complete' && manifest.epoch === delivery.epoch;
      return ours ? receiptOf(store, names.manifest, delivery, manifest) : undefined;
    },
    verify: (receipt, { deep }) => verifyFiles(session, receipt, deep),
    async discard() {
      const recorded = await recordedUploads(session);
      for (const { upload } of recorded) await store.abort(upload);
      const manifest = await readManifest(store, names.manifest, delivery);
      const named = new Set(manifest?.files.map(({ key }) => key));
      for (const { id, upload } of recorded) {
        // A commit that broke off may have made it visible: as long as no manifest says so, our record is the only trace.
        const untold = names.isFile(upload.key) && !named.has(upload.key) && (await store.head(upload.key));
        if (!untold) await context.artifacts.discard([id]);
      }
    },
    async close() {
      store.close();
    },
  };
}
