/** Guards deliveries that a manifest describes: a delivery that our database does not know is never replaced. */
import { DeliveredElsewhere } from '../../../platform/errors.ts';
import type { DeliveredFile, Receipt } from '../contract.ts';
import { receiptOf, type Manifest } from './manifest.ts';
import type { FileSession, RecordedUpload, StagedFile } from './staging.ts';

/** @throws DeliveredElsewhere unless our database knows the delivery */
export async function assertOurs(
  session: FileSession,
  manifest: Manifest,
  recorded: readonly RecordedUpload[],
): Promise<void> {
  if (!(await isOurs(session, manifest, recorded))) throw new DeliveredElsewhere();
}

/** @param recorded the interval's uploads that our database knows */
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

/** For manifests of versions without run ids: whether the manifest matches our receipt in every file. */
function isReceiptOf(manifest: Manifest, { epoch, files = [] }: Receipt): boolean {
  const delivered = identitiesOf(files);
  return (
    manifest.epoch === epoch &&
    manifest.files.length === files.length &&
    manifest.files.every((file) => delivered.has(identityOf(file)))
  );
}

/**
 * For manifests of versions without run ids: whether an interrupted commit of ours wrote the manifest, because we delivered or uploaded
 * each of its files for the interval. A file without rows is the same in every database.
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
