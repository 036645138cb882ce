/**
 * Verifies deliveries: compares each interval's source and destination with the receipt, at the receipt's cutoff. Only
 * reads; runs may continue meanwhile.
 */
import type { Receipt, Session } from '../destinations/contract.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput } from '../../platform/errors.ts';
import type { EventReader } from '../../events/reading/read.ts';
import { sourceExpiredSentence } from '../../events/reading/source-start.ts';
import type { Slice } from '../../events/reading/selection.ts';
import { hashKeyOf } from '../batch-exports/content.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { intervalsWithin, type DataInterval } from '../domain/intervals.ts';
import type { DeliveredEntry } from './ledger.store.ts';
import { sourceStartOfExport } from '../intervals/expired.ts';
import type { Run } from '../runs/runs.store.ts';
import type { ConfigEncryption } from '../integrations/config-encryption.ts';
import type { ExportStores } from '../stores.ts';

/**
 * `differing`: the destination differs from the receipt, or the source holds more than was delivered. `deleted`:
 * rows of the delivery are gone from the source. `erased`: it holds rows of persons who were erased since. `stale`: rows joined the interval since. `missing`: never delivered.
 * `expired`: rows of it are no longer kept at the source, so only the destination was compared, or it was never delivered. `unchecked`: could not be compared now.
 */
export type FindingKind = 'differing' | 'deleted' | 'erased' | 'stale' | 'missing' | 'expired' | 'unchecked';

/** A result of a comparison; `what` is a sentence. */
export type Finding = { kind: FindingKind; what: string; expected?: string; found?: string };

/** Result for one data interval (ISO instants). `rows`: delivered; null: never. Without findings, nothing has changed since the delivery. */
export type VerifiedInterval = { start: string; end: string; rows: number | null; findings: Finding[] };

export type VerifyOptions = {
  stores: Pick<ExportStores, 'batchExports' | 'erasedDeliveries' | 'ledger' | 'runs'>;
  events: Pick<EventReader, 'copy' | 'digest' | 'changedSince' | 'findExpiry'>;
  configs: ConfigEncryption;
  /** A session for reading back what this run delivered. */
  openSession(run: Run): Promise<Session>;
};

/** ISO instants with microseconds; null for no bound. */
export type VerifyRange = { from: string | null; to: string | null };

/** Number of intervals verified at once: destinations answer slowly, and a deep check holds a few blocks of a file, or a Parquet column. */
const AT_ONCE = 4;
/** Number of receipts read at once: a receipt that lists 10,000 files takes four megabytes. */
const PAGE = 10;

export function exportVerifier({ stores, events, configs, openSession }: VerifyOptions) {
  /**
   * Verifies the deliveries within the range, oldest interval first; if the range is bounded, also reports intervals without a delivery.
   * @param deep reads every byte back instead of trusting sizes and checksums
   */
  async function* verify(exportId: string, range: VerifyRange, deep: boolean): AsyncGenerator<VerifiedInterval> {
    for await (const group of batchItems(dueIntervals(exportId, range), AT_ONCE)) {
      yield* await Promise.all(
        group.map(async (interval) =>
          'epoch' in interval ? verifyDelivered(interval, deep) : verifyMissing(exportId, interval),
        ),
      );
    }
  }

  /** Delivered intervals and, between them, the tiling's undelivered ones. */
  async function* dueIntervals(exportId: string, range: VerifyRange): AsyncGenerator<DeliveredEntry | DataInterval> {
    const tiles = await tilesWithin(exportId, range);
    let tile = tiles.next();
    for await (const entry of deliveredEntries(exportId, range)) {
      const end = millisOf(entry.end);
      for (; !tile.done && tile.value.end < end; tile = tiles.next()) yield tile.value;
      if (!tile.done && tile.value.end === end) tile = tiles.next();
      yield entry;
    }
    for (; !tile.done; tile = tiles.next()) yield tile.value;
  }

  /** All past intervals within the range; none when the range has no bound. */
  async function tilesWithin(exportId: string, range: VerifyRange): Promise<Iterator<DataInterval>> {
    const [first] = range.from === null ? await stores.ledger.listDeliveries(exportId, pageBounds(range), 1) : [];
    const from = range.from ?? first?.start;
    if (from === undefined || (range.from ?? range.to) === null) return [][Symbol.iterator]();
    const now = await stores.batchExports.now();
    const to = range.to !== null && range.to < now ? range.to : now;
    return intervalsWithin(await stores.batchExports.getTiling(exportId), millisOf(from), millisOf(to));
  }

  async function* deliveredEntries(exportId: string, range: VerifyRange): AsyncGenerator<DeliveredEntry> {
    for (let after = '-infinity'; ;) {
      const entries = await stores.ledger.listDeliveries(exportId, pageBounds(range, after), PAGE);
      yield* entries;
      if (entries.length < PAGE) return;
      after = entries.at(-1)!.end;
    }
  }

  async function verifyMissing(exportId: string, { start, end }: DataInterval): Promise<VerifiedInterval> {
    const interval = { start: isoMicros(start), end: isoMicros(end) };
    const sourceStart = sourceStartOfExport(await stores.batchExports.getIncludingDeleted(exportId));
    if (start < sourceStart) {
      const what = `Not delivered, and no longer possible. ${sourceExpiredSentence(isoMicros(sourceStart))}`;
      return { ...interval, rows: null, findings: [{ kind: 'expired', what }] };
    }
    const newestRun = await stores.runs.findNewestOfInterval(exportId, interval.end);
    const why = newestRun ? `its last run is ${newestRun.status}` : 'it has had no run';
    const error = newestRun?.latestError ? ` (${newestRun.latestError})` : '';
    return { ...interval, rows: null, findings: [{ kind: 'missing', what: `Not delivered: ${why}${error}.` }] };
  }

  async function verifyDelivered(entry: DeliveredEntry, deep: boolean): Promise<VerifiedInterval> {
    const { start, end, receipt } = entry;
    const findings = await compareAll(entry, deep);
    const now = (await stores.ledger.find(entry)) as DeliveredEntry;
    // A run took the interval meanwhile, so the comparison may have mixed two deliveries.
    if (now.epoch !== entry.epoch || now.state !== entry.state) return verifyDelivered(now, deep);
    return { start, end, rows: receipt.rows, findings };
  }

  async function compareAll(entry: DeliveredEntry, deep: boolean): Promise<Finding[]> {
    if (entry.state === 'committing') {
      return [{ kind: 'unchecked', what: 'A new delivery of it has begun and not ended.' }];
    }
    const run = await stores.runs.getDeliveredRun(entry.exportId, entry.end);
    const expiry = await events.findExpiry(deliveredSlice(run, entry.receipt));
    if (expiry !== null)
      return [
        ...(await destinationFindings(run, entry, { deep, isGone: true })),
        {
          kind: 'expired',
          what: `${sourceExpiredSentence(expiry)} Only the destination was compared with the receipt.`,
        },
      ];
    const erased = await stores.erasedDeliveries.countErased(entry, run, entry.receipt);
    try {
      return [
        ...(await destinationFindings(run, entry, { deep, isGone: erased > 0 })),
        ...(await sourceFindings(run, entry, erased)),
        ...(await staleFindings(run, entry)),
      ];
    } catch (error) {
      // The source has expired since it was looked at.
      if (error instanceof InvalidInput && error.code === 'source_expired') return compareAll(entry, deep);
      throw error;
    }
  }

  async function destinationFindings(
    run: Run,
    { receipt }: DeliveredEntry,
    { deep, isGone }: { deep: boolean; isGone: boolean },
  ): Promise<Finding[]> {
    try {
      const session = await openSession(run);
      try {
        if (session.location !== receipt.location) return [movedFinding(receipt.location)];
        const rows = () =>
          events.copy(deliveredSlice(run, receipt), run.plan?.columns ?? [], { hashKey: hashKeyOf(configs, run) });
        const differences = await session.verify?.(receipt, { deep, ...(!isGone && { rows }) });
        return (differences ?? []).map((difference) => ({ kind: 'differing', ...difference }));
      } finally {
        await session.close();
      }
    } catch (error) {
      if (!(error instanceof DestinationRejected || error instanceof DestinationUnavailable)) throw error;
      return [{ kind: 'unchecked', what: error.message }];
    }
  }

  async function sourceFindings(run: Run, { receipt }: DeliveredEntry, erased: number): Promise<Finding[]> {
    const source = await events.digest(deliveredSlice(run, receipt));
    if (source.rows === receipt.rows && source.digest === receipt.digest) return [];
    const expected = `${receipt.rows} rows, digest ${receipt.digest}`;
    const found = `${source.rows} rows, digest ${source.digest}`;
    const missingRows = receipt.rows - source.rows;
    const erasedRows = Math.min(missingRows, erased);
    if (missingRows > 0)
      return [
        ...(erasedRows > 0 ? [erasedFinding(erasedRows)] : []),
        ...(missingRows > erasedRows
          ? [
              {
                kind: 'deleted' as const,
                what: `${missingRows - erasedRows} rows were deleted at the source.`,
                expected,
                found,
              },
            ]
          : []),
      ];
    // A sealed interval gets no new rows below its cutoff, so this is different content, not a later change.
    return [{ kind: 'differing', what: 'The source holds rows that were not delivered.', expected, found }];
  }

  async function staleFindings(run: Run, { receipt }: DeliveredEntry): Promise<Finding[]> {
    if (!(await events.changedSince(deliveredSlice(run, receipt)))) return [];
    return [{ kind: 'stale', what: `Events were imported into it after ${receipt.cutoff}.` }];
  }

  return {
    verify,
    /** How many delivered intervals lie within the range. */
    count: (exportId: string, range: VerifyRange) => stores.ledger.countDelivered(exportId, pageBounds(range)),
  };
}

/** @throws Error when the run never had a plan, so it cannot have delivered */
function deliveredSlice({ id, projectId, start, end, plan }: Run, { cutoff }: Receipt): Slice {
  if (!plan) throw new Error(`run ${id} has no plan`);
  return { projectId, start, end, cutoff, content: plan.content };
}

function erasedFinding(rows: number): Finding {
  return {
    kind: 'erased',
    what: `${rows} rows of erased persons are still delivered: the erasure lists the interval. The rows were not compared with the source.`,
  };
}

function movedFinding(location: string): Finding {
  return { kind: 'unchecked', what: `It was delivered to ${location}, before the export's destination was changed.` };
}

function pageBounds({ from, to }: VerifyRange, after = '-infinity') {
  return { from: from ?? '-infinity', to: to ?? 'infinity', after };
}

async function* batchItems<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
