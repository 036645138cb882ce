/**
 * What the destinations hold of an installation's data intervals, beside what this database knows: for `sluice recover`, which lists the
 * differences of two timelines. Changes nothing at a destination.
 */
import { fileEncodingOf, type FileConfig } from '../src/destinations/object-store/config.ts';
import type { Destination, IntervalBounds } from '../src/destinations/contract.ts';
import { destinationOf } from '../src/destinations/index.ts';
import type { PresentDelivery } from '../src/destinations/ownership.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput } from '../src/errors.ts';
import type { BatchExport } from '../src/exports/batch-exports.store.ts';
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

/** An epoch that no run supersedes: who only looks wants an answer whatever goes on. */
const AFTER_ALL = Number.MAX_SAFE_INTEGER;

/** Destinations whose answers take long are asked for several intervals at once. */
const AT_ONCE = 4;
const PAGE = 10_000;

/**
 * Data intervals that this database delivered, or of which the destination may hold a delivery, in order: none is asked for that
 * nobody can have delivered.
 * @param from only those that end after it; null: all
 */
export async function intervalsToCompare(
  engine: Reach,
  one: BatchExport,
  from: string | null,
  signal: AbortSignal,
): Promise<IntervalBounds[] | Unchecked> {
  const found = new Map<string, IntervalBounds>();
  const add = ({ start, end }: IntervalBounds) => found.set(`${end} ${start}`, { start, end });
  try {
    const { destination, config } = await opened(engine, one);
    const of = { projectId: one.projectId, model: one.model, exportId: one.id };
    for await (const bounds of destination.deliveries(config, of, engine.environment, signal)) add(bounds);
  } catch (error) {
    return uncheckedBy(error, one);
  }
  for await (const entry of deliveredByUs(engine, one)) add(entry);
  const inOrder = [...found.keys()].sort().map((key) => found.get(key)!);
  return inOrder.filter(({ end }) => from === null || end > from);
}

async function* deliveredByUs({ stores }: Reach, { id }: BatchExport): AsyncGenerator<IntervalBounds> {
  for (let after = '-infinity'; ;) {
    const page = await stores.ledger.delivered(id, { from: '-infinity', to: 'infinity', after }, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.end;
  }
}

/** Asks the destination for each interval. Ends with the first one that it does not answer. */
export async function* compareDeliveries(
  engine: Reach,
  one: BatchExport,
  intervals: readonly IntervalBounds[],
  signal: AbortSignal,
): AsyncGenerator<Compared | Unchecked> {
  try {
    const place = await opened(engine, one);
    for (let from = 0; from < intervals.length; from += AT_ONCE) {
      const some = intervals.slice(from, from + AT_ONCE);
      yield* await Promise.all(some.map(async (interval) => compare(engine, one, place, interval, signal)));
    }
  } catch (error) {
    yield uncheckedBy(error, one);
  }
}

async function compare(
  engine: Reach,
  one: BatchExport,
  place: Opened,
  { start, end }: IntervalBounds,
  signal: AbortSignal,
): Promise<Compared> {
  const entry = await engine.stores.ledger.find({ exportId: one.id, start, end });
  const present = await presentAt(engine, one, place, { start, end }, entry, signal);
  return { exportId: one.id, start, end, present, difference: differenceOf(entry, present) };
}

/** @throws what is no destination's error */
function uncheckedBy(error: unknown, { id }: BatchExport): Unchecked {
  if (isOfDestination(error)) return { exportId: id, why: error.message };
  throw error;
}

/** Where the export delivers now, its configuration checked. */
type Opened = { destination: Destination; config: unknown };

async function opened({ sealed, environment }: Reach, one: BatchExport): Promise<Opened> {
  const destination = destinationOf(one.destinationType, environment);
  const config = sealed.open(one);
  await destination.validate(config, environment);
  return { destination, config };
}

function isOfDestination(error: unknown): error is Error {
  return [DestinationRejected, DestinationUnavailable, InvalidInput].some((one) => error instanceof one);
}

function differenceOf(entry: LedgerEntry | undefined, present: PresentDelivery | undefined): Difference | undefined {
  if (present) return present.known ? undefined : 'foreign';
  return entry?.receipt ? 'missing' : undefined;
}

async function presentAt(
  { stores, environment }: Reach,
  one: BatchExport,
  { destination, config }: Opened,
  { start, end }: IntervalBounds,
  entry: LedgerEntry | undefined,
  signal: AbortSignal,
): Promise<PresentDelivery | undefined> {
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
        list: () => stores.artifacts.list(hold),
        later: async () => [],
        discard: async () => {},
      },
      ownership: ownershipOf(stores, { ...hold, epoch: AFTER_ALL }),
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
