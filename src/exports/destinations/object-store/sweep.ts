/** Ends uploads without a recorded name: their process died in that moment, or the store's answer was lost. */
import { severalAtOnce } from '../at-once.ts';
import { isIntent, type FileSession, type RecordedIntent } from './staging.ts';

/** Batch of keys that are swept and recorded as swept together, as in `session.ts`. Few keys are ever in doubt. */
const KEYS_AT_ONCE = 100;

/**
 * Aborts the uploads of the intents' keys that no record owns, and forgets the intents. An attempt that continues after that cannot record
 * its upload, because its intent is gone, and so aborts it.
 */
export async function sweep(session: FileSession, intents: readonly RecordedIntent[]): Promise<void> {
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
  { store, context: { artifacts } }: FileSession,
  intents: ReadonlyMap<string, readonly RecordedIntent[]>,
): Promise<'denied' | undefined> {
  const answers = await severalAtOnce([...intents.keys()], (key) => store.unfinishedUploads(key));
  const found = answers.flatMap((answer) => (answer === 'denied' ? [] : answer));
  // This is read after the store's answer, so each upload that a later epoch had begun by then has a record, by its name or still only by its
  // key. Unnamed uploads of our epoch and earlier ones belong to attempts whose run is over, or whose parts are fixed.
  const later = await artifacts.listLater();
  const owned = new Set([...(await artifacts.list()), ...later].map(({ artifact }) => artifact['id']));
  const begun = later.filter(({ artifact }) => isIntent(artifact) && artifact['place'] === store.place);
  const contested = new Set(begun.map(({ artifact }) => artifact['key']));
  // tooth: store-sweep-later
  const orphans = found.filter(({ key, id }) => !owned.has(id) && !contested.has(key));
  await severalAtOnce(orphans, (upload) => store.abort(upload));
  // A later run that contests a key finds our intent as well as its own, and sweeps for both.
  const swept = [...intents].flatMap(([key, ofKey]) => (contested.has(key) ? [] : ofKey));
  await artifacts.discard(swept.map(({ id }) => id));
  return answers.includes('denied') ? 'denied' : undefined;
}
