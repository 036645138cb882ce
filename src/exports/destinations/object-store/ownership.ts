/** Guards deliveries that a manifest describes: a delivery that our database does not know is replaced only if an operator allows it. */
import { DeliveredElsewhere } from '../../../platform/errors.ts';
import type { DeliveredFile, Receipt } from '../contract.ts';
import { receiptOf, type Manifest } from './manifest.ts';
import type { FileSession, RecordedUpload, StagedFile } from './staging.ts';

/** @throws DeliveredElsewhere if our database does not know the delivery, and no operator allows it to be replaced */
export async function assertOurs(
  session: FileSession,
  manifest: Manifest,
  recorded: readonly RecordedUpload[],
): Promise<void> {
  if (!(await isOurs(session, manifest, recorded))) throw new DeliveredElsewhere();
}

/**
 * Whether our database knows the delivery, or an operator allows it to be replaced.
 * @param recorded the interval's uploads that our database knows
 */
export async function isOurs(
  session: FileSession,
  manifest: Manifest,
  recorded: readonly RecordedUpload[],
): Promise<boolean> {
  const { ownership } = session.context;
  if (manifest.run_id !== undefined) return ownership.knowsRun(manifest.run_id);
  const last = await ownership.findLastReceipt();
  if (last && isReceiptOf(manifest, last)) return true;
  if (await isInterruptedCommit(session, manifest, recorded, last)) return true;
  return ownership.mayReplace(receiptOf(session.store, session.names.manifest, manifest));
}

/** Whether a manifest without a run id, as earlier versions wrote it, lists the files of our receipt. */
function isReceiptOf(manifest: Manifest, { epoch, files = [] }: Receipt): boolean {
  const delivered = identitiesOf(files);
  return (
    manifest.epoch === epoch &&
    manifest.files.length === files.length &&
    manifest.files.every((file) => delivered.has(identityOf(file)))
  );
}

/**
 * Whether an interrupted commit of ours wrote a manifest without a run id: our database then knows each of its files as delivered or uploaded
 * for the interval. Files without rows are the same in every database.
 */
async function isInterruptedCommit(
  { context: { ownership }, delivery }: FileSession,
  manifest: Manifest,
  recorded: readonly RecordedUpload[],
  last: Receipt | undefined,
): Promise<boolean> {
  if (manifest.epoch > delivery.epoch) return false;
  const staged = (await ownership.listStagedParts(manifest.epoch)).map((part) => part.staged as StagedFile);
  const ours = new Set([
    ...identitiesOf(last?.files ?? []),
    ...identitiesOf(staged),
    ...recorded.map(({ upload }) => identityOf({ key: upload.key, identity: upload.token })),
  ]);
  return manifest.files.every((file) => file.rows === 0 || ours.has(identityOf(file)));
}

type IdentifiedFile = Pick<DeliveredFile, 'key' | 'identity'>;

const identityOf = ({ key, identity }: IdentifiedFile) => `${identity} ${key}`;

function identitiesOf(files: readonly IdentifiedFile[]): Set<string> {
  return new Set(files.map(identityOf));
}
