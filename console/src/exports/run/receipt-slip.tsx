/** The receipt of a run, line by line: the source's counts, the destination's acknowledgement, and its files. */
import { useState } from 'react';
import { Copy } from '../../look/copy.tsx';
import { formatBytes, formatCount, formatDuration, Time } from '../../look/time.tsx';
import type { ExportBody } from '../export/export-data.ts';
import type { Run } from './run-data.ts';
import { quantity } from '../words/quantity.ts';
import '../sweep.css';
import styles from './run.module.css';

type File = { key: string; rows: number; bytes: number; sha256: string };
/** The shown part of a receipt. Destinations write receipts, so each field may be missing. */
type Receipt = { digest?: string; location?: string; manifest?: string; files?: File[]; file_count?: number };

/** Limit of shown files; the others are counted. */
const SHOWN = 20;

/** The destination's guarantee for rows that are delivered again. */
type Redelivery = ExportBody['promises']['redelivery'];

/** Sentences about how the receipt was checked. A receiver of HTTP requests cannot be read back. */
const CHECKED: Record<Redelivery, string> = {
  replaces: 'Read back and compared with the source after the commit: nothing is missing and nothing is duplicated.',
  repeats_by_uuid:
    'The receiver acknowledged every row of the source. It cannot be read back, and can have rows of earlier attempts twice, under the same uuid.',
  counts_only: 'Every row of the source was read and counted. Nothing was delivered.',
};

export function ReceiptSlip({ run, redelivery }: { run: Run; redelivery: Redelivery }) {
  const receipt = run.receipt as Receipt | null;
  const files = receipt?.files ?? [];
  const seconds = run.finished_at === null ? null : (Date.parse(run.finished_at) - Date.parse(run.created_at)) / 1000;
  const [initialVerifiedAt] = useState(run.verified_at);
  return (
    <section
      className={styles.receipt}
      aria-labelledby="receipt-title"
      data-just-verified={(initialVerifiedAt === null && run.verified_at !== null) || undefined}
    >
      <h2 id="receipt-title">Receipt</h2>
      <dl className={styles.slip}>
        <Line name="source" value={countOf(run.records_total_count)} />
        <Line name="acknowledged" value={countOf(run.records_completed)} />
        {run.bytes_exported !== null && <Line name="bytes" value={formatBytes(run.bytes_exported)} />}
        <Line name="digest" value={digestOf(receipt, run.verified_at !== null)} />
        {seconds !== null && <Line name="took" value={formatDuration(seconds)} />}
      </dl>
      <p className={receipt ? styles.verified : 'quiet'}>
        {receipt
          ? checkOf(run, redelivery)
          : `Nothing was delivered by this run${run.finished_at === null ? ' yet' : ''}.`}
      </p>
      {run.verified_at && redelivery === 'replaces' && (
        <p>
          Read back <Time iso={run.verified_at} seconds />
          {run.records_completed !== null && `: ${quantity(run.records_completed, 'row')}, digest equal`}.
        </p>
      )}
      {receipt?.digest && <Copy text={receipt.digest}>Copy the digest</Copy>}
      {receipt?.location && <p className="id">{receipt.location}</p>}
      {files.length > 0 && <Files files={files} manifest={receipt?.manifest} />}
      {receipt?.file_count !== undefined && <p>{quantity(receipt.file_count, 'file')}</p>}
    </section>
  );
}

/** The sentence about a delivered run. Runs of earlier versions and accepted deliveries of other timelines were not read back. */
const checkOf = (run: Run, redelivery: Redelivery) =>
  redelivery === 'replaces' && run.verified_at === null
    ? 'The destination acknowledged the rows. They were not read back.'
    : CHECKED[redelivery];

/** Enough of a digest to compare by eye. */
const shortOf = (digest: string) => (digest.length > 12 ? `${digest.slice(0, 12)}…` : digest);

function digestOf(receipt: Receipt | null, isReadBack: boolean): string {
  if (!receipt?.digest) return '–';
  return `${isReadBack ? 'equal ' : ''}${shortOf(receipt.digest)}`;
}

const countOf = (count: number | null) => (count === null ? '–' : formatCount(count));

function Line({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Files({ files, manifest }: { files: readonly File[]; manifest: string | undefined }) {
  const sums = files.map(({ key, sha256 }) => `${sha256}  ${key}`).join('\n');
  return (
    <>
      <ul className={styles.files}>
        {files.slice(0, SHOWN).map((file) => (
          <li key={file.key}>
            <span className="id">{file.key}</span>
            <span className="quiet">
              {quantity(file.rows, 'row')}, {formatBytes(file.bytes)}, sha256 <code>{file.sha256.slice(0, 12)}…</code>
            </span>
          </li>
        ))}
        {files.length > SHOWN && <li className="quiet">and {formatCount(files.length - SHOWN)} more</li>}
        {manifest && <li className="id">{manifest}</li>}
      </ul>
      <Copy text={`${sums}\n`}>Copy for sha256sum</Copy>
    </>
  );
}
