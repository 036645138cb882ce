/**
 * Compares the data intervals at destinations with what this database knows, for `sluice recover`, which lists the differences of two
 * timelines. Changes nothing at a destination.
 */
import { fileEncodingOf, type FileConfig } from '../../src/exports/destinations/object-store/config.ts';
import type { Destination, IntervalBounds } from '../../src/exports/destinations/contract.ts';
import { anyDestination, destinationOf } from '../../src/exports/destinations/index.ts';
import type { PresentDelivery } from '../../src/exports/destinations/ownership.ts';
import { promisesOf, type Promises } from '../../src/exports/destinations/promises.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput, Unavailable } from '../../src/platform/errors.ts';
import type { BatchExport } from '../../src/exports/batch-exports/batch-export.ts';
import type { LedgerEntry } from '../../src/exports/deliveries/ledger.store.ts';
import { ownershipOf } from '../../src/exports/deliveries/ownership.ts';
import { emptyFile } from '../../src/exports/formats/file.ts';
import { forLog } from '../../src/platform/temporal/failures.ts';
import type { Engine } from '../engine.ts';
import { exportLogFields, runWithDeadline } from '../round-steps.ts';

/**
 * `foreign`: delivered by a run that this database does not know. `missing`: delivered according to this database, but absent at the
 * destination.
 */
export type Difference = 'foreign' | 'missing';

export type ComparedDelivery = {
  exportId: string;
  start: string;
  end: string;
  present: PresentDelivery | undefined;
  difference: Difference | undefined;
};
/** The export could not be compared; `why` is a sentence for people. */
export type UncheckedExport = { exportId: string; reason: string };

type ComparisonEngine = Pick<Engine, 'stores' | 'configs' | 'environment' | 'log'>;

/** Id of a run that does not exist. */
const NO_RUN = '00000000-0000-0000-0000-000000000000';

/** Epoch above every run's: with a lower epoch, looking up a delivery would throw `Superseded` as soon as a run takes the interval. */
const EPOCH_ABOVE_ALL = Number.MAX_SAFE_INTEGER;

const UNREADABLE =
  'Its receiver cannot be asked what it has. Data intervals that are not known as delivered are not delivered automatically: ' +
  'retry them, or deliver them by a backfill.';

/** Number of intervals compared at once, because some destinations answer slowly. */
const AT_ONCE = 4;
const BOUNDS_PER_PAGE = 10_000;
/** Time limit of a listing, which may have millions of names. */
const LISTING_MS = 30 * 60_000;
/** Time limit for comparing a batch of intervals, so that a destination that hangs does not delay the others. */
const ANSWER_MS = 2 * 60_000;

/**
 * Lists, in order of their ends, the data intervals that this database delivered or of which the destination may hold a delivery.
 * Other intervals cannot have been delivered, so there is no need to compare them.
 * @param from leaves out intervals that end at or before this instant; null for all
 */
export async function intervalsToCompare(
  engine: ComparisonEngine,
  batchExport: BatchExport,
  from: string | null,
  signal: AbortSignal,
): Promise<IntervalBounds[] | UncheckedExport> {
  const redelivery = redeliveryOf(batchExport);
  if (redelivery === 'counts_only') return [];
  if (redelivery === 'repeats_by_uuid') return { exportId: batchExport.id, reason: UNREADABLE };
  const boundsByKey = new Map<string, IntervalBounds>();
  const add = ({ start, end }: IntervalBounds) => boundsByKey.set(`${end} ${start}`, { start, end });
  const listing = { projectId: batchExport.projectId, model: batchExport.model, exportId: batchExport.id };
  try {
    await runWithDeadline(LISTING_MS, signal, async (deadline) => {
      const { destination, config } = await openDestination(engine, batchExport);
      for await (const bounds of destination.listDeliveries(config, listing, engine.environment, deadline)) add(bounds);
    });
    for await (const bounds of listDelivered(engine, batchExport)) add(bounds);
  } catch (error) {
    return reportUnchecked(engine, error, batchExport);
  }
  const inOrder = [...boundsByKey.keys()].sort().map((key) => boundsByKey.get(key)!);
  return inOrder.filter(({ end }) => from === null || end > from);
}

function redeliveryOf({ destinationType, destinationConfig }: BatchExport): Promises['redelivery'] {
  return promisesOf(anyDestination(destinationType), destinationConfig).redelivery;
}

async function* listDelivered({ stores }: ComparisonEngine, { id }: BatchExport): AsyncGenerator<IntervalBounds> {
  for (let after = '-infinity'; ;) {
    const page = await stores.intervalStates.listDeliveredBounds(id, after, BOUNDS_PER_PAGE);
    yield* page;
    if (page.length < BOUNDS_PER_PAGE) return;
    after = page.at(-1)!.end;
  }
}

/** Asks the destination for each interval, until an answer fails. @param answerMs time limit for a few intervals */
export async function* compareDeliveries(
  engine: ComparisonEngine,
  batchExport: BatchExport,
  intervals: readonly IntervalBounds[],
  signal: AbortSignal,
  answerMs = ANSWER_MS,
): AsyncGenerator<ComparedDelivery | UncheckedExport> {
  try {
    const target = await runWithDeadline(answerMs, signal, async () => openDestination(engine, batchExport));
    for (let from = 0; from < intervals.length; from += AT_ONCE) {
      const batch = intervals.slice(from, from + AT_ONCE);
      yield* await runWithDeadline(answerMs, signal, async (deadline) =>
        Promise.all(batch.map(async (interval) => compare(engine, batchExport, target, interval, deadline))),
      );
    }
  } catch (error) {
    yield reportUnchecked(engine, error, batchExport);
  }
}

async function compare(
  engine: ComparisonEngine,
  batchExport: BatchExport,
  target: OpenedDestination,
  { start, end }: IntervalBounds,
  signal: AbortSignal,
): Promise<ComparedDelivery> {
  const entry = await engine.stores.ledger.find({ exportId: batchExport.id, start, end });
  const found = await lookAt(engine, batchExport, target, { start, end }, entry, signal);
  return { exportId: batchExport.id, start, end, present: found.present, difference: differenceOf(entry, found) };
}

/** One export that cannot be compared stops neither the comparison of the others nor deliveries. */
function reportUnchecked({ log }: ComparisonEngine, error: unknown, { id }: BatchExport): UncheckedExport {
  if (isMeantForUsers(error)) return { exportId: id, reason: error.message };
  log.error({ ...forLog(error), ...exportLogFields(id) }, 'an export could not be compared');
  return { exportId: id, reason: 'An unexpected error; the log has it.' };
}

/** The export's current destination and its checked configuration. */
type OpenedDestination = { destination: Destination; config: unknown };

async function openDestination(
  { configs, environment }: ComparisonEngine,
  batchExport: BatchExport,
): Promise<OpenedDestination> {
  const destination = destinationOf(batchExport.destinationType, environment);
  const config = decryptConfig(configs, batchExport);
  await destination.validate(config, environment);
  return { destination, config };
}

function decryptConfig(configs: ComparisonEngine['configs'], batchExport: BatchExport): unknown {
  try {
    return configs.decrypt(batchExport);
  } catch (cause) {
    const why = 'Its secrets cannot be decrypted: SLUICE_ENCRYPTION_KEYS lacks the key that they were encrypted with.';
    throw new DestinationRejected(why, { cause });
  }
}

function isMeantForUsers(error: unknown): error is Error {
  return [DestinationRejected, DestinationUnavailable, InvalidInput, Unavailable].some((type) => error instanceof type);
}

/** The interval's delivery at the export's destination, if any, and the location that a delivery would have there. */
type Found = { present: PresentDelivery | undefined; location: string };

/** A delivery made before the destination was changed is not missing: the new destination never had it. */
function differenceOf(entry: LedgerEntry | undefined, { present, location }: Found): Difference | undefined {
  if (present) return present.isKnown ? undefined : 'foreign';
  return entry?.receipt?.location === location ? 'missing' : undefined;
}

async function lookAt(
  { stores, environment }: ComparisonEngine,
  batchExport: BatchExport,
  { destination, config }: OpenedDestination,
  { start, end }: IntervalBounds,
  entry: LedgerEntry | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const epoch = entry?.epoch ?? 0;
  const lease = { exportId: batchExport.id, start, end, epoch };
  const delivery = {
    ...lease,
    projectId: batchExport.projectId,
    runId: NO_RUN,
    model: batchExport.model,
    cutoff: end,
    columns: [],
    merge: null,
    file: { ...fileEncodingOf(config as FileConfig), numbered: false },
  };
  const session = await destination.open(
    config,
    delivery,
    {
      signal,
      log: () => {},
      onRequest: () => {},
      artifacts: {
        record: async () => Promise.reject(new Error('nothing is staged by looking')),
        list: () => stores.artifacts.list(lease),
        listOfLaterEpochs: async () => [],
        discard: async () => {},
      },
      ownership: ownershipOf(stores, { ...lease, epoch: EPOCH_ABOVE_ALL }),
      recordSuperseded: async () => Promise.reject(new Error('nothing is replaced by looking')),
      emptyFile: (file) => emptyFile({ ...file, columns: [] }),
      step: async () => {},
    },
    environment,
  );
  try {
    return { present: await session.findPresentDelivery(), location: session.location };
  } finally {
    await session.close();
  }
}
