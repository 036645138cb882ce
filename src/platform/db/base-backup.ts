/**
 * Copies a whole Postgres server while it runs, by the command of `pg_basebackup`, which the embedded server does not ship.
 * https://www.postgresql.org/docs/current/protocol-replication.html
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Connection, Submittable } from 'pg';
import { CommandFailed } from '../errors.ts';
import { createClient } from './connection.ts';
import { POOLS } from './pools.ts';
import { simpleQuery, type Fields } from './simple-query.ts';

/** `fast`: writes a checkpoint at once instead of over minutes. `wal`: the log of the time of the copy, without which it cannot be started. */
const BASE_BACKUP = `BASE_BACKUP (LABEL 'sluice backup', CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'no')`;
const SLOT_TIMEOUT_MS = 30_000;
/** Bytes before the contents of a message; the first says what they are. */
const PREFIX_BYTES = 1;
const ARCHIVE = 'n'.charCodeAt(0);
const CONTENTS = 'd'.charCodeAt(0);

/** Postgres' timeline, and the positions in its log between which the copy was made. */
export type CopiedRange = { timeline: number; startLsn: string; endLsn: string };

/**
 * @param url of a role with the right to replicate
 * @param write gets the server's data folder as a tar archive, with the log that makes it consistent
 * @throws CommandFailed if the server has tablespaces, which would be archives of their own
 */
export async function copyServer(url: string, write: (archive: Readable) => Promise<void>): Promise<CopiedRange> {
  const replicating = new URL(url);
  replicating.searchParams.set('replication', 'true');
  const client = createClient({ url: replicating.href, applicationName: POOLS.backup.applicationName });
  // An error of the connection also reaches the query, whose reader throws it.
  client.on('error', () => {});
  await client.connect();
  try {
    // Keeps the log that the end of a long copy needs; it ends with this connection.
    const slot = `sluice_backup_${randomBytes(6).toString('hex')}`;
    const sql = `CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL true)`;
    await simpleQuery(client, sql, { timeoutMs: SLOT_TIMEOUT_MS });
    const { archive, rows } = startCopy(client);
    await write(archive);
    const [startLsn, timeline] = rows[0]!;
    return { timeline: Number(timeline), startLsn: startLsn!, endLsn: rows.at(-1)![0]! };
  } finally {
    await client.end();
  }
}

/** @returns the archive, which ends after Postgres has reported that the copy is whole, and the rows of its answers */
function startCopy(client: { query(query: Submittable): unknown }): { archive: Readable; rows: Fields[] } {
  const rows: Fields[] = [];
  let stream: Connection['stream'] | undefined;
  let archives = 0;
  const archive = new Readable({ read: () => stream?.resume() });
  const query: CopyQuery = {
    submit(connection) {
      stream = connection.stream;
      connection.query(BASE_BACKUP);
    },
    handleRowDescription() {},
    handleDataRow({ fields }) {
      rows.push(fields);
    },
    handleCopyData({ chunk }) {
      if (chunk[0] === ARCHIVE && ++archives > 1)
        stream?.destroy(new CommandFailed('This Postgres has tablespaces, which `sluice backup` does not copy.'));
      if (chunk[0] !== CONTENTS) return;
      // Copied, because the parser uses its buffer again.
      if (!archive.push(Buffer.from(chunk.subarray(PREFIX_BYTES)))) stream?.pause();
    },
    handleCommandComplete() {},
    handleError(error) {
      archive.destroy(error);
    },
    handleReadyForQuery() {
      archive.push(null);
    },
  };
  client.query(query);
  return { archive, rows };
}

/** The methods that pg's Client calls on its active query; its types know `submit` only. */
type CopyQuery = Submittable & {
  handleRowDescription(): void;
  handleDataRow(message: { fields: Fields }): void;
  handleCopyData(message: { chunk: Buffer }): void;
  handleCommandComplete(): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
};
