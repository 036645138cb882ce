/**
 * The commit of an interval: one snapshot that replaces the interval's files, by compare-and-swap of the table's main branch. Any other
 * commit in between makes it fail; Sluice then reads the table and our ledger again. Equal content makes a snapshot too, so that the
 * compare-and-swap of an older commit that was frozen fails.
 */
import { createHash } from 'node:crypto';
import { DeliveredElsewhere, StagedLost, Superseded } from '../../../platform/errors.ts';
import { severalAtOnce } from '../at-once.ts';
import type { Receipt } from '../contract.ts';
import type { StagedPart } from '../delivery.ts';
import { reveal, type StagedFile } from '../object-store/staging.ts';
import { totalsOf } from '../totals.ts';
import { recordMetadata } from './upkeep/clean.ts';
import { usualMergeCount } from './upkeep/merge.ts';
import { icebergFault } from './faults.ts';
import type { NewFile } from './manifests.ts';
import { digestOfFiles, summaryOf, summaryValue } from './present.ts';
import { commitSnapshot, deliveryIdOf, waitBeforeAttempt } from './snapshot.ts';
import { metadataPrefix, readTable, type TableSession, type TableState } from './table-state.ts';
import { checkTable, digestOfIds, replacedColumns } from './table.ts';

const MAX_ATTEMPTS = 20;

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
    if (attempt > 0) await waitBeforeAttempt(attempt, context.signal);
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
    const isEqual = await isContentThere(session, held, content);
    // tooth: iceberg-column-ids
    if (!isEqual && hasOtherIds(shown, digestOfIds(metadata, delivery.columns)))
      throw new StagedLost('The columns of the table were made again. Sluice will deliver the interval again.');
    const bytes = held.files.reduce((sum, file) => sum + Number(file.file_size_in_bytes), 0);
    if (!isEqual && shown.length === 0) shown = [await stageNoRows()];
    const added = isEqual ? [] : await revealFiles(session, shown);
    const urls = isEqual ? held.files.map(({ file_path }) => file_path) : added.map(({ url }) => url);
    const shownReceipt = isEqual ? { ...receipt, bytes } : receipt;
    const answer = await commitSnapshot(session, held, {
      snapshotId: deliveryIdOf(delivery.runId),
      prefix: metadataPrefix(metadata, delivery.runId),
      added,
      removed: isEqual ? [] : held.files,
      // A snapshot that only moves the branch leaves the manifests alone.
      mergeCount: isEqual ? () => Infinity : usualMergeCount(metadata),
      summary: summaryOf(delivery, shownReceipt, { content, files: digestOfFiles(urls) }),
      step: 'rows',
    });
    if (answer === 'committed') return shownReceipt;
  }
  throw icebergFault('concurrent_commits');
}

/** @param ids as `digestOfIds` returns them */
const hasOtherIds = (parts: readonly StagedPart[], ids: string) => parts.some(({ staged }) => staged['ids'] !== ids);

/** Whether the table holds exactly the files of a delivery with this content, and the storage has them. */
async function isContentThere(
  { lake: { store, keyOf }, delivery }: TableSession,
  { metadata, present, files, deletes }: TableState,
  content: string,
): Promise<boolean> {
  const snapshot = present?.snapshot;
  // If the same files stayed, the deletes would still apply to them; new files are younger than the deletes.
  if (deletes.length > 0) return false;
  if (!snapshot || summaryValue(snapshot, 'content') !== content) return false;
  if (replacedColumns(metadata, snapshot, delivery.columns).length > 0) return false;
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
