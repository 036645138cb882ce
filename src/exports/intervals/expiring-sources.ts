/**
 * How far the events of a project can be hidden. An export that has not delivered yet what it should delays that, by 30 days at most: an
 * installation that fails for a weekend loses nothing, and one export that fails for ever does not keep everything. What is older already,
 * because retention is new or shorter, goes a week after the notice.
 */
import { selectionOf } from '../../events/reading/selection.ts';
import type { ExpiringProject } from '../../events/table/expiry.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { contentOf } from '../batch-exports/content.ts';
import { hasMark } from '../domain/interval-codes.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { endOfIntervalAt, startOfIntervalAt, type Tiling } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import { piecesEnding } from '../domain/pieces.ts';
import type { ExportStores } from '../stores.ts';
import { expiredRange } from './expired.ts';
import { codesOf } from './interval-cells.ts';
import { factsOfAll, offeredFact, pausedRange } from './offered.ts';

/** An export that needs events which are older than their project keeps them. */
export type DelayingExport = {
  exportId: string;
  name: string;
  /** Start of its oldest data interval that is to be delivered. */
  start: string;
  /** Whether that interval has been due for so long that its owners should know. */
  isLate: boolean;
  /** Instant at which events of the interval are deleted at the latest, if its owners get notice now or got it before. */
  deletedAt: string;
};

/** `from`: instant before which events can be hidden now. ISO. */
export type Expiry = { from: string; delaying: DelayingExport[] };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longest delay of a deletion. */
export const MAX_DELAY_DAYS = 30;
const MAX_DELAY_MS = MAX_DELAY_DAYS * DAY_MS;
/** Days between the notice to an export's owners and the deletion: a new or shorter retention may find intervals that are older than the longest delay. */
const NOTICE_DAYS = 7;
/** Time after its end in which an interval is not late: one that is longer than the retention is delivered when its first events are old. */
const DUE_MS = DAY_MS;
const MAX_EXPORTS = 100_000;

type Stores = Pick<ExportStores, 'batchExports' | 'gaps' | 'intervalFacts' | 'health'>;

/** Decides how far the events of a project can be hidden, and which exports delay that. */
export async function planExpiry(stores: Stores, project: ExpiringProject): Promise<Expiry> {
  const limit = millisOf(project.limit);
  const now = millisOf(await stores.batchExports.now());
  const { results } = await stores.batchExports.list(project.projectId, { limit: MAX_EXPORTS, offset: 0 });
  const noticed = new Set((await stores.health.listExpiring({ days: NOTICE_DAYS })).map(({ id }) => id));
  const oldest = limit - MAX_DELAY_MS;
  const oldestKept = project.oldest === null ? oldest : Math.min(oldest, millisOf(project.oldest));
  const delaying: DelayingExport[] = [];
  let from = limit;
  for (const batchExport of results) {
    const { id: exportId, name } = batchExport;
    const hadNotice = noticed.has(exportId);
    const found = await findOldestNeeded(stores, batchExport, { after: hadNotice ? oldest : oldestKept, limit, now });
    if (!found) continue;
    const { start, isLate, needsFrom } = found;
    from = Math.min(from, isLate && !hadNotice ? needsFrom : Math.max(needsFrom, oldest));
    const deletedAt = Math.max(needsFrom + project.days * DAY_MS + MAX_DELAY_MS, now + NOTICE_DAYS * DAY_MS);
    delaying.push({ exportId, name, start: isoMicros(start), isLate, deletedAt: isoMicros(deletedAt) });
  }
  return { from: isoMicros(from), delaying };
}

/** The oldest data interval that the export has yet to deliver, if it needs events of before the limit. */
async function findOldestNeeded(
  stores: Stores,
  batchExport: BatchExport,
  { after, limit, now }: { after: Millis; limit: Millis; now: Millis },
): Promise<{ start: Millis; isLate: boolean; needsFrom: Millis } | undefined> {
  const hours = hoursBefore(batchExport);
  if (hours === null) return undefined;
  const reach = hours * HOUR_MS;
  const tiling = await stores.batchExports.getTiling(batchExport.id);
  const current = startOfIntervalAt(tiling, now);
  const pieces = piecesEnding(
    tiling,
    startOfIntervalAt(tiling, after),
    Math.min(endOfIntervalAt(tiling, limit + reach), current),
  );
  const first = pieces.total === 0 ? undefined : await findFirstOpen(stores, batchExport, pieces, tiling);
  // The interval that has not ended yet is to be delivered too, unless a person has paused its export, or its export ends before.
  const { paused, pausedReason } = batchExport;
  const isExpected =
    (!paused || pausedReason !== null) && (batchExport.endAt === null || millisOf(batchExport.endAt) > current);
  const start = first ?? (isExpected ? current : undefined);
  if (start === undefined || start - reach >= limit) return undefined;
  const isLate = endOfIntervalAt(tiling, start) + DUE_MS <= now;
  return { start, isLate, needsFrom: start - reach };
}

function hoursBefore(batchExport: BatchExport): number | null {
  try {
    return selectionOf(contentOf(batchExport)).source.eventsFromHoursBefore;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return 0;
  }
}

/**
 * Start of the oldest interval that a run delivers, will deliver, or should have delivered: its mark is one of waiting, running, retrying,
 * needs you. One that is delivered stays so, although its last run failed, unless that left it half way.
 */
async function findFirstOpen(
  stores: Stores,
  batchExport: BatchExport,
  pieces: ReturnType<typeof piecesEnding>,
  tiling: Tiling,
): Promise<Millis | undefined> {
  const { id, pausedReason } = batchExport;
  const window = { exportId: id, from: pieces.interval(0).start, to: pieces.interval(pieces.total - 1).end };
  const [[facts = []], allPauses] = await Promise.all([
    stores.intervalFacts.listFacts([window]),
    stores.gaps.listPauses(id),
  ]);
  // Intervals that end while an export is paused because it failed are still to be delivered.
  const pauses = allPauses.filter(({ unpausedAt }) => unpausedAt !== null || pausedReason === null);
  const ranges = [...facts, offeredFact(batchExport), expiredRange(batchExport, tiling), ...pauses.map(pausedRange)];
  const codes = codesOf(pieces, ranges, factsOfAll(batchExport));
  for (let number = 0; number < pieces.total; number += 1) {
    const code = codes.of(number);
    if (!(['w', 'r', 't', 'y'] as const).some((mark) => hasMark(code, mark))) continue;
    const { start, end } = pieces.interval(number);
    const isUnsettled = facts.some(({ fact, from, to }) => fact === 'unsettled' && from < end && end <= to);
    if (code !== 'hy' || isUnsettled) return start;
  }
  return undefined;
}
