/**
 * The ingest transaction as one simple query: claims, clock and COPY in one message, which Postgres runs as one transaction.
 * Two round trips, and nothing of ours to wait for between the clock and the commit but the rows themselves.
 */
import type { Connection, Submittable } from 'pg';
import { copyMessages, ROW_COLUMNS, type RowReference } from './event-rows.ts';

/** Text of the fields of a row, as pg's Connection hands them over. */
type DataRow = { fields: [storedAt: string, claimed: string | null] };

/**
 * Stores the rows whose uuid no stored event has; of several with one uuid, the first.
 * @param references rows of one project
 * @param timeoutMs after this without an end the connection is cut: Postgres, or the way to it, may be frozen
 * @returns once the transaction is committed
 */
export function claimAndCopy(
  client: { query(query: Submittable): unknown },
  projectId: number,
  references: readonly RowReference[],
  timeoutMs: number,
): Promise<void> {
  const unique = firstOfEachUuid(references);
  return new Promise((resolve, reject) => {
    let answer: DataRow['fields'] | undefined;
    let timer: NodeJS.Timeout | undefined;
    const query: Query = {
      submit(connection) {
        timer = setTimeout(() => connection.stream.destroy(new Error('Postgres does not answer')), timeoutMs);
        connection.query(claimSql(projectId, unique));
      },
      handleRowDescription() {},
      handleDataRow: ({ fields }) => (answer = fields),
      handleCommandComplete() {},
      handleCopyInResponse(connection) {
        const [storedAt, claimed] = answer!;
        const fresh = claimed === null ? unique : onlyClaimed(unique, claimed);
        connection.stream.write(copyMessages(fresh, BigInt(storedAt)));
      },
      handleError(error) {
        clearTimeout(timer);
        reject(error);
      },
      handleReadyForQuery() {
        clearTimeout(timer);
        resolve();
      },
    };
    client.query(query);
  });
}

/** What pg's Client calls on its active query; its types know `submit` only. */
type Query = Submittable & {
  handleRowDescription(): void;
  handleDataRow(message: DataRow): void;
  handleCommandComplete(): void;
  handleCopyInResponse(connection: Connection): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
};

/** Sorted, so that two transactions that claim the same uuids wait for each other in one order. */
function firstOfEachUuid(references: readonly RowReference[]): RowReference[] {
  const byUuid = new Map<string, RowReference>();
  for (const reference of references) {
    const uuid = uuidOf(reference);
    if (!byUuid.has(uuid)) byUuid.set(uuid, reference);
  }
  return [...byUuid.values()].sort((a, b) => (uuidOf(a) < uuidOf(b) ? -1 : 1));
}

function onlyClaimed(unique: readonly RowReference[], claimed: string): RowReference[] {
  const uuids = new Set(claimed.slice(1, -1).split(','));
  return unique.filter((reference) => uuids.has(uuidOf(reference)));
}

function uuidOf({ rows, index }: RowReference): string {
  return rows.uuids[index]!;
}

function claimSql(projectId: number, unique: readonly RowReference[]): string {
  const range = historicalRange(unique);
  const ids = unique.map(uuidOf).join(',');
  return (
    `select (extract(epoch from stored_at - '2000-01-01Z'::timestamptz) * 1000000)::bigint, claimed ` +
    `from claim_events(${projectId}, '{${ids}}', ${instantSql(range?.from)}, ${instantSql(range?.to)}); ` +
    `copy events (${ROW_COLUMNS}) from stdin (format binary)`
  );
}

function historicalRange(references: readonly RowReference[]): { from: bigint; to: bigint } | undefined {
  let range: { from: bigint; to: bigint } | undefined;
  for (const { rows, index } of references) {
    if (!rows.historical) continue;
    const timestamp = rows.timestamps[index]!;
    range ??= { from: timestamp, to: timestamp };
    if (timestamp < range.from) range.from = timestamp;
    if (timestamp > range.to) range.to = timestamp;
  }
  return range;
}

/** @param instant microseconds since 2000-01-01Z */
function instantSql(instant: bigint | undefined): string {
  return instant === undefined ? 'null' : `'2000-01-01Z'::timestamptz + interval '${instant} us'`;
}
