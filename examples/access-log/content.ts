/** Content of a destination, in one form for files and tables, and how it is held against the log and the runs. */
import type { Run } from './api.ts';
import { nextHour, type RequestsByHour } from './log.ts';

/** One data interval at the destination. */
export type Delivered = {
  start: string;
  end: string;
  epoch: number;
  /** The account of the manifest or the ledger. */
  claimed: { rows: number; digest: string };
  rows: readonly { uuid: string; timestamp: string }[];
};

export type Content = {
  delivered: Delivered[];
  /** Faults of the interval in itself. */
  differences: string[];
  /** Changes with every byte or row. */
  fingerprint: string;
};

/**
 * Every hour has one Completed run; manifest or ledger, the rows themselves, the run, its receipt and the log agree on how
 * many rows and on which; every row lies in its interval; no row is there twice.
 * @returns what differs, a sentence each
 */
export function compare(
  hours: readonly string[],
  counts: RequestsByHour,
  runs: readonly Run[],
  content: Content,
): string[] {
  const differences = [...content.differences];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (found !== expected) differences.push(`${what}: ${String(found)} instead of ${String(expected)}`);
  };
  const delivered = new Map(content.delivered.map((interval) => [interval.start, interval]));
  const uuids = new Set(content.delivered.flatMap(({ rows }) => rows.map((row) => row.uuid)));
  expect('intervals at the destination', content.delivered.length, hours.length);
  expect('distinct uuids', uuids.size, totalRows(content));

  for (const hour of hours) {
    const [run, ...more] = runs.filter((run) => run.data_interval_start === hour);
    const interval = delivered.get(hour);
    if (!run || !interval) {
      differences.push(`${hour}: ${run ? 'nothing is at the destination' : 'there is no run'}`);
      continue;
    }
    const digest = digestOf(interval.rows);
    expect(`${hour} runs`, 1 + more.length, 1);
    expect(`${hour} status`, run.status, 'Completed');
    expect(`${hour} end`, run.data_interval_end, nextHour(hour));
    expect(`${hour} end at the destination`, interval.end, nextHour(hour));
    expect(`${hour} rows`, interval.rows.length, counts.get(hour) ?? 0);
    expect(`${hour} rows outside the interval`, interval.rows.filter(outside(interval)).length, 0);
    expect(`${hour} rows that the destination claims`, interval.claimed.rows, interval.rows.length);
    expect(`${hour} digest that the destination claims`, interval.claimed.digest, digest);
    expect(`${hour} epoch of the receipt`, run.receipt?.epoch, interval.epoch);
    expect(`${hour} rows of the run`, run.records_completed, interval.rows.length);
    expect(`${hour} rows of the receipt`, run.receipt?.rows, interval.rows.length);
    expect(`${hour} digest of the receipt`, run.receipt?.digest, digest);
  }
  return differences;
}

export function totalRows(content: Content): number {
  return content.delivered.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** ISO instants in UTC with six decimals compare as text. */
function outside({ start, end }: Delivered): (row: { timestamp: string }) => boolean {
  return ({ timestamp }) => timestamp < start || timestamp >= end;
}

/** The sum, modulo 2^64, of the low 60 bits of each uuid: as receipts, manifests and ledgers carry it. */
export function digestOf(rows: readonly { uuid: string }[]): string {
  let sum = 0n;
  for (const { uuid } of rows) sum += BigInt(`0x${uuid.replaceAll('-', '').slice(-15)}`);
  return BigInt.asUintN(64, sum).toString();
}
