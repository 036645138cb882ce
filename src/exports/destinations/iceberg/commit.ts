/**
 * The commit of an interval: one snapshot that replaces the interval's files, by compare-and-swap of the table's main branch. Any other
 * commit in between makes it fail; Sluice then reads the table and our ledger again. Equal content makes a snapshot too, so that the
 * compare-and-swap of an older commit that was frozen fails.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveredElsewhere, Superseded } from '../../../platform/errors.ts';
import { severalAtOnce } from '../at-once.ts';
import type { Receipt } from '../contract.ts';
import type { Delivery, StagedPart } from '../delivery.ts';
import { reveal, type StagedFile } from '../object-store/staging.ts';
import { totalsOf } from '../totals.ts';
import { recordMetadata } from './clean.ts';
import { icebergFault } from './faults.ts';
import type { Lake } from './lake.ts';
import type { DataFile, ManifestFile } from './manifest-schemas.ts';
import { writeManifestOfNewFiles, writeManifestList, rewriteWithoutInterval, type NewFile } from './manifests.ts';
import { mergeManifests } from './merge.ts';
import { currentSnapshot, digestOfFiles, summaryOf, summaryValue } from './present.ts';
import { metadataPrefix, readTable, type TableSession, type TableState } from './table-state.ts';
import { checkTable } from './table.ts';

const MAX_ATTEMPTS = 20;
const MAX_WAIT_MS = 3000;
const FIRST_WAIT_MS = 60;

/** @param stageNoRows stages the file of an interval without rows */
export async function commitInterval(
  session: TableSession,
  parts: readonly StagedPart[],
  stageNoRows: () => Promise<StagedPart>,
): Promise<Receipt> {
  const { catalog, delivery, context } = session;
  const timeline = await context.ownership.getTimeline();
  const { rows, digest } = totalsOf(parts);
  let shown = parts;
  const receipt: Receipt = {
    rows,
    digest,
    bytes: parts.reduce((sum, { staged }) => sum + (staged as unknown as StagedFile).bytes, 0),
    location: session.location,
    epoch: delivery.epoch,
    cutoff: delivery.cutoff,
    run_id: delivery.runId,
    timeline,
  };
  const content = createHash('sha256')
    .update(JSON.stringify(parts.map(({ contentSha256 }) => contentSha256)))
    .digest('hex');

  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const metadata = await catalog.load();
    if (!metadata) throw icebergFault('table_gone');
    checkTable(metadata, { columns: delivery.columns, addColumns: false });
    // The ledger is read after the table, so a run that commits after this check makes our commit fail.
    await context.ownership.assertNotSuperseded();
    const held = await readTable(session, metadata);
    const { present } = held;
    if (present?.receipt.run_id === delivery.runId) return present.receipt;
    if (present && !(await context.ownership.knowsRun(present.receipt.run_id))) throw new DeliveredElsewhere();
    if (present && present.receipt.epoch >= delivery.epoch)
      throw new Superseded('A later run has delivered this data interval.');

    if (attempt === 0) await recordMetadata(session);
    const isEqual = await isContentThere(session.lake, held, content);
    const bytes = held.files.reduce((sum, file) => sum + Number(file.file_size_in_bytes), 0);
    if (!isEqual && shown.length === 0) shown = [await stageNoRows()];
    const answer = isEqual
      ? await commitSnapshot(session, held, { receipt: { ...receipt, bytes }, content, files: undefined })
      : await commitSnapshot(session, held, { receipt, content, files: await revealFiles(session, shown) });
    if (answer === 'committed') return isEqual ? { ...receipt, bytes } : receipt;
    const wait = Math.random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
    await sleep(wait, undefined, { signal: context.signal });
  }
  throw icebergFault('concurrent_commits');
}

/** Whether the table holds exactly the files of a delivery with this content, and the storage has them. */
async function isContentThere(
  { store, keyOf }: Lake,
  { present, files, deletes }: TableState,
  content: string,
): Promise<boolean> {
  const snapshot = present?.snapshot;
  // If the same files stayed, the deletes would still apply to them; new files are younger than the deletes.
  if (deletes.length > 0) return false;
  if (!snapshot || summaryValue(snapshot, 'content') !== content) return false;
  if (summaryValue(snapshot, 'files') !== digestOfFiles(files.map(({ file_path }) => file_path))) return false;
  const whole = await severalAtOnce(files, async ({ file_path, file_size_in_bytes }) => {
    const head = await store.head(keyOf(file_path));
    return head?.bytes === Number(file_size_in_bytes);
  });
  return whole.every(Boolean);
}

/** Completes the uploads of the parts: the files are there, and no snapshot names them. */
async function revealFiles({ lake, context }: TableSession, parts: readonly StagedPart[]): Promise<NewFile[]> {
  const files: NewFile[] = [];
  for (const [index, { rows, staged }] of parts.entries()) {
    const file = staged as unknown as StagedFile;
    await context.step(`file-${index}`);
    await reveal(lake, file);
    files.push({ url: lake.urlOf(file.key), rows, bytes: file.bytes });
  }
  return files;
}

/** Returns the run's snapshot id: always the same, so a commit whose answer was lost can be found. */
export function snapshotIdOf({ runId }: Delivery): bigint {
  const id = createHash('sha256').update(runId).digest().readBigUInt64BE() & 0x7fff_ffff_ffff_ffffn;
  return id === 0n ? 1n : id;
}

/** Whether the manifest has live files. A manifest that only lists what an earlier snapshot removed is not needed any more. */
const hasLiveFiles = (one: ManifestFile) => one.added_files_count > 0 || one.existing_files_count > 0;

type Change = {
  receipt: Receipt;
  content: string;
  /** Undefined to keep the files that are there. */
  files: readonly NewFile[] | undefined;
};

/** Attempts to commit one snapshot. @returns `unknown` if the commit may have been made, because the answer is lost or inconclusive */
async function commitSnapshot(
  session: TableSession,
  held: TableState,
  change: Change,
): Promise<'committed' | 'changed' | 'unknown'> {
  const { catalog, lake, delivery, interval, context } = session;
  const { metadata, list, manifests } = held;
  const current = currentSnapshot(metadata);
  const parent = current ? BigInt(current['snapshot-id']) : null;
  const snapshotId = snapshotIdOf(delivery);
  const sequence = BigInt(metadata['last-sequence-number']) + 1n;
  const prefix = `${metadataPrefix(metadata, delivery.runId)}${randomBytes(8).toString('hex')}`;
  const written: string[] = [];
  const newMetadataUrl = (ending: string) => {
    written.push(`${prefix}-${ending}.avro`);
    return written.at(-1)!;
  };
  const writing = { lake, metadata, snapshotId, sequence, nameManifest: () => newMetadataUrl(`m${written.length}`) };
  const removeWritten = () => severalAtOnce(written, (url) => lake.remove(url));

  const { files } = change;
  let kept = list.filter(hasLiveFiles);
  const added = files ?? [];
  const removed = files ? held.files : [];
  let answer: 'committed' | 'changed' | 'unknown';
  try {
    if (files) {
      const replaced = new Set(manifests.map(({ manifest }) => manifest));
      kept = kept.filter((manifest) => !replaced.has(manifest));
      kept = await mergeManifests(writing, kept);
      for (const manifest of manifests) kept.push(await rewriteWithoutInterval(writing, manifest, interval));
      if (files.length > 0) kept.unshift(await writeManifestOfNewFiles(writing, files, interval));
    }
    const listUrl = newMetadataUrl('list');
    await writeManifestList(lake, listUrl, kept, { snapshotId, parent, sequence });
    const names = files ? files.map(({ url }) => url) : held.files.map(({ file_path }) => file_path);
    const snapshot = {
      'snapshot-id': snapshotId,
      ...(parent !== null && { 'parent-snapshot-id': parent }),
      'sequence-number': sequence,
      'timestamp-ms': Date.now(),
      'manifest-list': listUrl,
      'schema-id': metadata['current-schema-id'],
      summary: {
        operation: removed.length > 0 ? (added.length > 0 ? 'overwrite' : 'delete') : 'append',
        ...totals(current?.summary, added, removed),
        ...summaryOf(delivery, change.receipt, { content: change.content, files: digestOfFiles(names) }),
      },
    };
    await context.step('rows');
    // tooth: iceberg-branch-condition
    answer = await catalog.commit({
      requirements: [
        { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
        { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': parent },
      ],
      updates: [
        { action: 'add-snapshot', snapshot },
        { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': snapshotId },
      ],
    });
  } catch (error) {
    // The commit was not sent, or the catalog has refused it.
    await removeWritten();
    throw error;
  }
  // After an unknown outcome the files stay, because the table may have them. A later delivery removes them if it has not.
  if (answer === 'changed') await removeWritten();
  return answer;
}

function sum(values: readonly (number | bigint)[]): bigint {
  return values.reduce<bigint>((total, one) => total + BigInt(one), 0n);
}

function totals(
  before: Record<string, string> | undefined,
  added: readonly NewFile[],
  removed: readonly DataFile[],
): Record<string, string> {
  const rows = { plus: sum(added.map((file) => file.rows)), minus: sum(removed.map((file) => file.record_count)) };
  const bytes = {
    plus: sum(added.map((file) => file.bytes)),
    minus: sum(removed.map((file) => file.file_size_in_bytes)),
  };
  const total = (name: string, plus: bigint, minus: bigint) => String(BigInt(before?.[name] ?? 0) + plus - minus);
  return {
    'added-data-files': String(added.length),
    'added-records': String(rows.plus),
    'deleted-data-files': String(removed.length),
    'deleted-records': String(rows.minus),
    'total-records': total('total-records', rows.plus, rows.minus),
    'total-data-files': total('total-data-files', BigInt(added.length), BigInt(removed.length)),
    'total-files-size': total('total-files-size', bytes.plus, bytes.minus),
    'total-delete-files': total('total-delete-files', 0n, 0n),
    'total-position-deletes': total('total-position-deletes', 0n, 0n),
    'total-equality-deletes': total('total-equality-deletes', 0n, 0n),
  };
}
