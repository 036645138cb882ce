/**
 * What the destinations hold of an installation's data intervals, beside what this database knows: for `sluice recover`, which lists the
 * differences of two timelines. Changes nothing at a destination.
 */
import { fileEncodingOf, type FileConfig } from '../src/destinations/object-store/config.ts';
import { destinationOf } from '../src/destinations/index.ts';
import type { PresentDelivery } from '../src/destinations/ownership.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput } from '../src/errors.ts';
import type { BatchExport } from '../src/exports/batch-exports.store.ts';
import { isoMicros, millisOf } from '../src/exports/domain/instants.ts';
import { intervalsEnding, type DataInterval } from '../src/exports/domain/intervals.ts';
import type { LedgerEntry } from '../src/exports/ledger.store.ts';
import { ownershipOf } from '../src/exports/ownership.ts';
import { emptyFile } from '../src/formats/file.ts';
import type { Engine } from './engine.ts';

/** `foreign`: delivered by a run that this database does not know. `missing`: delivered as it knows, and not there. */
export type Difference = 'foreign' | 'missing';

export type Compared = {
  exportId: string;
  start: string;
  end: string;
  present: PresentDelivery | undefined;
  difference: Difference | undefined;
};
/** The export could not be compared; `why` is a sentence for people. */
export type Unchecked = { exportId: string; why: string };

type Reach = Pick<Engine, 'stores' | 'sealed' | 'environment'>;

/** Names of a run that does not exist. */
const NO_RUN = '00000000-0000-0000-0000-000000000000';

/** The export's data intervals, as far as its schedule, or this database, has delivered them. @param from not those that begin before */
export async function intervalsToCompare(
  { stores }: Reach,
  one: BatchExport,
  from: string | null,
): Promise<DataInterval[]> {
  const [first] = await stores.ledger.delivered(
    one.id,
    { from: from ?? '-infinity', to: 'infinity', after: '-infinity' },
    1,
  );
  const begins = [one.createdAt, one.startAt, first?.start].flatMap((instant) => instant ?? []).sort()[0]!;
  const now = await stores.batchExports.now();
  const since = from !== null && from > begins ? from : begins;
  return [...intervalsEnding(await stores.batchExports.tiling(one.id), millisOf(since), millisOf(now))];
}

/** Asks the destination for each interval, in turn. Ends with the first one that it does not answer. */
export async function* compareDeliveries(
  engine: Reach,
  one: BatchExport,
  intervals: readonly DataInterval[],
  signal: AbortSignal,
): AsyncGenerator<Compared | Unchecked> {
  for (const interval of intervals) {
    const [start, end] = [isoMicros(interval.start), isoMicros(interval.end)];
    const entry = await engine.stores.ledger.find({ exportId: one.id, start, end });
    try {
      const present = await presentAt(engine, one, { start, end }, entry, signal);
      yield { exportId: one.id, start, end, present, difference: differenceOf(entry, present) };
    } catch (error) {
      if (!isOfDestination(error)) throw error;
      yield { exportId: one.id, why: error.message };
      return;
    }
  }
}

function isOfDestination(error: unknown): error is Error {
  return [DestinationRejected, DestinationUnavailable, InvalidInput].some((one) => error instanceof one);
}

function differenceOf(entry: LedgerEntry | undefined, present: PresentDelivery | undefined): Difference | undefined {
  if (present) return present.known ? undefined : 'foreign';
  return entry?.receipt ? 'missing' : undefined;
}

async function presentAt(
  { stores, sealed, environment }: Reach,
  one: BatchExport,
  { start, end }: { start: string; end: string },
  entry: LedgerEntry | undefined,
  signal: AbortSignal,
): Promise<PresentDelivery | undefined> {
  const destination = destinationOf(one.destinationType, environment);
  const config = sealed.open(one);
  await destination.validate(config, environment);
  const epoch = entry?.epoch ?? 0;
  const hold = { exportId: one.id, start, end, epoch };
  const delivery = {
    ...hold,
    projectId: one.projectId,
    runId: NO_RUN,
    model: one.model,
    cutoff: end,
    columns: [],
    merge: null,
    parts: [],
    file: { ...fileEncodingOf(config as FileConfig), numbered: false },
  };
  const session = await destination.open(
    config,
    delivery,
    {
      signal,
      log: () => {},
      artifacts: {
        record: async () => Promise.reject(new Error('nothing is staged by looking')),
        list: () => stores.ledger.artifacts(hold),
        discard: async () => {},
      },
      ownership: ownershipOf(stores, hold),
      recordSuperseded: async () => Promise.reject(new Error('nothing is replaced by looking')),
      emptyFile: (file) => emptyFile({ ...file, columns: [] }),
      step: async () => {},
    },
    environment,
  );
  try {
    return await session.present();
  } finally {
    await session.close();
  }
}
