/**
 * Removes what attempts left. A staged file is deleted only once a later delivery has moved the table's branch, because a frozen commit
 * might name it until then; and never when a snapshot names it.
 */
import { listArtifactsAt } from '../recorded.ts';
import { isIntent } from '../object-store/staging.ts';
import { sweep } from '../object-store/sweep.ts';
import type { TableMetadata } from './catalog.ts';
import { metadataPrefix, readTable, type TableState, type TableSession } from './commit.ts';
import { readManifestList } from './manifests.ts';
import { summaryValue } from './present.ts';

/** @returns ids of records that stay, because the files may still become the table's */
export async function cleanUp(session: TableSession, metadata: TableMetadata): Promise<string[]> {
  const { lake, context } = session;
  const { store } = lake;
  const recorded = await listArtifactsAt(({ place }) => place === store.place, context);
  if (recorded.length === 0) return [];
  const intents = recorded.filter(({ artifact }) => isIntent(artifact));
  await sweep(
    { store, context },
    intents.map(({ id, artifact }) => ({ id, key: String(artifact['key']) })),
  );

  const held = await readTable(session, metadata);
  const inTable = runsOf(metadata);
  const live = new Set(held.files.map(({ file_path }) => lake.keyOf(file_path)));
  const kept: string[] = [];
  const runs = new Set<string>();
  for (const { id, epoch, artifact } of recorded) {
    if (isIntent(artifact)) continue;
    const { key, id: uploadId, token } = artifact as { key: string; id: string; token: string };
    await store.abort({ key, id: uploadId });
    const head = await store.head(key);
    const run = /e\d+-([0-9a-f-]{36})-/.exec(key)?.[1] ?? '';
    if (head?.identity === token && !live.has(key) && !inTable.has(run)) {
      if (!hasLaterDelivery(held, epoch, run)) {
        kept.push(id);
        continue;
      }
      runs.add(run);
      if ((await store.remove(key)) === 'denied')
        context.log('warning', 'A staged file that no snapshot names may not be deleted; it takes up space.');
    }
    await context.artifacts.discard([id]);
  }
  for (const run of runs) await removeMetadata(session, metadata, run);
  return kept;
}

/** Runs with a snapshot in the table, on any branch. */
function runsOf({ snapshots = [] }: TableMetadata): ReadonlySet<string> {
  return new Set(snapshots.flatMap((snapshot) => summaryValue(snapshot, 'run') ?? []));
}

function hasLaterDelivery({ present }: TableState, epoch: number, run: string): boolean {
  return present !== undefined && present.receipt.epoch >= epoch && present.receipt.run_id !== run;
}

/** Removes the manifests of a run's failed attempts to commit. @param run a run whose commit has succeeded or can no longer succeed */
export async function removeMetadata(session: TableSession, metadata: TableMetadata, run: string): Promise<void> {
  const { lake } = session;
  const used = new Set<string>();
  const ofRun = metadata.snapshots?.filter((snapshot) => summaryValue(snapshot, 'run') === run) ?? [];
  for (const snapshot of ofRun) {
    used.add(lake.keyOf(snapshot['manifest-list']));
    for (const { manifest_path } of await readManifestList(lake, snapshot['manifest-list']))
      used.add(lake.keyOf(manifest_path));
  }
  for await (const key of lake.store.list(lake.keyOf(metadataPrefix(metadata, run))))
    if (!used.has(key)) await lake.store.remove(key);
}
