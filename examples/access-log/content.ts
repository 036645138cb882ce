/** Content of a destination, in one form for files and tables, and how it is held against the log and the runs. */
import type { Run } from './api.ts';
import type { Expected } from './log.ts';

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
 * Every interval has one Completed run; manifest or ledger, the rows themselves, the run, its receipt and the log agree on how
 * many rows and on which; every row lies in its interval; no row is there twice.
 * @returns what differs, a sentence each
 */
export function compare(intervals: readonly Expected[], runs: readonly Run[], content: Content): string[] {
  const differences = [...content.differences];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (found !== expected) differences.push(`${what}: ${String(found)} instead of ${String(expected)}`);
  };
  const delivered = new Map(content.delivered.map((interval) => [interval.start, interval]));
  const uuids = new Set(content.delivered.flatMap(({ rows }) => rows.map((row) => row.uuid)));
  expect('intervals at the destination', content.delivered.length, intervals.length);
  expect('distinct uuids', uuids.size, totalRows(content));

  for (const { start, end, requests } of intervals) {
    const [run, ...more] = runs.filter((run) => run.data_interval_start === start);
    const interval = delivered.get(start);
    if (!run || !interval) {
      differences.push(`${start}: ${run ? 'nothing is at the destination' : 'there is no run'}`);
      continue;
    }
    const digest = digestOf(interval.rows);
    expect(`${start} runs`, 1 + more.length, 1);
    expect(`${start} status`, run.status, 'Completed');
    expect(`${start} end`, run.data_interval_end, end);
    expect(`${start} end at the destination`, interval.end, end);
    expect(`${start} rows`, interval.rows.length, requests);
    expect(`${start} rows outside the interval`, interval.rows.filter(outside(interval)).length, 0);
    expect(`${start} rows that the destination claims`, interval.claimed.rows, interval.rows.length);
    expect(`${start} digest that the destination claims`, interval.claimed.digest, digest);
    expect(`${start} epoch of the receipt`, run.receipt?.epoch, interval.epoch);
    expect(`${start} rows of the run`, run.records_completed, interval.rows.length);
    expect(`${start} rows of the receipt`, run.receipt?.rows, interval.rows.length);
    expect(`${start} digest of the receipt`, run.receipt?.digest, digest);
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
