/** Ends uploads whose id was not recorded, because the process died just after beginning them, or the store's answer was lost. */
import { severalAtOnce } from '../at-once.ts';
import { isIntent, type RecordedIntent, type UploadSession } from './staging.ts';

/** Number of keys that are swept, and whose intents are forgotten, together. Usually there are few. */
const KEYS_AT_ONCE = 100;

/**
 * Aborts the unrecorded uploads of the intents' keys, and forgets the intents. An attempt that continues afterwards cannot record its
 * upload, because its intent is gone, and aborts the upload.
 */
export async function sweep(session: UploadSession, intents: readonly RecordedIntent[]): Promise<void> {
  const byKey = [...Map.groupBy(intents, ({ key }) => key)];
  let isDenied = false;
  for (let from = 0; from < byKey.length; from += KEYS_AT_ONCE)
    if ((await sweepKeys(session, new Map(byKey.slice(from, from + KEYS_AT_ONCE)))) === 'denied') isDenied = true;
  if (!isDenied) return;
  session.context.log(
    'warning',
    'The destination does not permit listing unfinished uploads (s3:ListBucketMultipartUploads), so some that were interrupted may be left there.',
  );
}

async function sweepKeys(
  { store, context: { artifacts } }: UploadSession,
  intents: ReadonlyMap<string, readonly RecordedIntent[]>,
): Promise<'denied' | undefined> {
  const answers = await severalAtOnce([...intents.keys()], (key) => store.listUnfinishedUploads(key));
  const found = answers.flatMap((answer) => (answer === 'denied' ? [] : answer));
  // The records are read after the store's answer, so every upload that a later epoch had begun by then has a record, if only an intent
  // without its id. Any other unrecorded upload belongs to an attempt that can no longer use it: its run has ended, or its parts are fixed.
  const later = await artifacts.listOfLaterEpochs();
  const owned = new Set([...(await artifacts.list()), ...later].map(({ artifact }) => artifact['id']));
  const begun = later.filter(({ artifact }) => isIntent(artifact) && artifact['place'] === store.place);
  const contested = new Set(begun.map(({ artifact }) => artifact['key']));
  // tooth: store-sweep-later
  const orphans = found.filter(({ key, id }) => !owned.has(id) && !contested.has(key));
  await severalAtOnce(orphans, (upload) => store.abort(upload));
  // Intents for contested keys stay, because the later run finds them with its own, and sweeps for both.
  const swept = [...intents].flatMap(([key, ofKey]) => (contested.has(key) ? [] : ofKey));
  await artifacts.discard(swept.map(({ id }) => id));
  return answers.includes('denied') ? 'denied' : undefined;
}
