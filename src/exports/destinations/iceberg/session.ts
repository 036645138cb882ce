/** A session on a table: parts are staged as Parquet files that no snapshot names, and one commit makes them the interval's rows. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { StagedLost } from '../../../platform/errors.ts';
import { NO_ROWS } from '../../formats/copy-binary.ts';
import { encodeFile } from '../../formats/file.ts';
import { MICROSECONDS_1970_TO_2000 } from '../../formats/parquet/values.ts';
import { UnreadableFile } from '../../formats/unreadable.ts';
import { severalAtOnce } from '../at-once.ts';
import type { Difference, PartSource, Receipt, Session, SessionContext } from '../contract.ts';
import type { Delivery, StagedPart } from '../delivery.ts';
import { compactInstant } from '../object-store/prefix-variables.ts';
import { openUpload, stage, type StagedFile } from '../object-store/staging.ts';
import type { Catalog, TableMetadata } from './catalog.ts';
import { cleanUp } from './upkeep/clean.ts';
import { compactInterval, whyNotMerged } from './upkeep/compact.ts';
import { commitInterval } from './commit.ts';
import { expireSnapshots } from './upkeep/expire.ts';
import { throwAsOwn } from './faults.ts';
import type { Lake } from './lake.ts';
import { deleteLeftFiles } from './upkeep/left-files.ts';
import { intervalPartition } from './manifests.ts';
import { fileName, readFiles, searchRows } from './present.ts';
import { readTable, type TableState, type TableSession } from './table-state.ts';
import { parseLocation } from './storage/location.ts';
import { EXPORT_COLUMN, INTERVAL_COLUMN, digestOfIds, prepareTable, replacedColumns, schemaOf } from './table.ts';

/** The default of Iceberg's own writers. */
const COMPRESSION = 'zstd';

type Options = {
  catalog: Catalog;
  openLake(location: string): Promise<Lake>;
  delivery: Delivery;
  context: SessionContext;
  location: string;
  addColumns: boolean | null;
  compact: boolean;
};

export function icebergSession(options: Options): Session {
  const { catalog, openLake, delivery, context, location, addColumns, compact } = options;
  const interval = intervalPartition(delivery.exportId, delivery.start, delivery.end)!;
  const needed = { ...delivery, addColumns };
  let opened: Promise<Lake> | undefined;

  async function sessionOn(metadata: TableMetadata): Promise<TableSession> {
    opened ??= openLake(metadata.location);
    return { catalog, lake: await opened, delivery, interval, context, location };
  }

  async function findTable(): Promise<{ session: TableSession; held: TableState } | undefined> {
    const metadata = await catalog.load();
    if (!metadata) return undefined;
    const session = await sessionOn(metadata);
    return { session, held: await readTable(session, metadata) };
  }

  /** The constants are the partition's values, as COPY BINARY has them. */
  function constants() {
    const time = Buffer.alloc(8);
    time.writeBigInt64BE(interval.start - MICROSECONDS_1970_TO_2000);
    return [
      { column: EXPORT_COLUMN, value: Buffer.from(delivery.exportId.replaceAll('-', ''), 'hex') },
      { column: INTERVAL_COLUMN, value: time },
    ];
  }

  /** Opens the upload of a part's file. */
  async function openFile(index: number) {
    const metadata = await prepareTable(catalog, needed);
    const { store } = (await sessionOn(metadata)).lake;
    const folder = [
      parseLocation(metadata.location).key,
      'data',
      `${EXPORT_COLUMN.name}=${delivery.exportId}`,
      `${INTERVAL_COLUMN.name}=${compactInstant(delivery.start)}`,
    ].join('/');
    const key = `${folder}/${fileName(delivery, index, randomBytes(8).toString('hex'))}`;
    const opened = await openUpload({ store, context }, key);
    const fieldIds = new Map(schemaOf(metadata).fields.map(({ name, id }) => [name, id]));
    return {
      async fill(rows: AsyncIterable<Uint8Array>, check?: () => unknown): Promise<StagedPart> {
        const file = encodeFile(rows, {
          format: 'Parquet',
          compression: COMPRESSION,
          columns: delivery.columns,
          table: { fieldIds, constants: constants() },
        });
        const staged = await stage({ store, context }, opened, file.bytes, check);
        return { ...file.summary(), index, staged: { ...staged, ids: digestOfIds(metadata, delivery.columns) } };
      },
    };
  }

  /** The names of an interval's files record its delivery, so an interval without rows has a file, too. */
  async function stageNoRows(): Promise<StagedPart> {
    return (await openFile(0)).fill(Readable.from([NO_ROWS]));
  }

  return withOwnFaults({
    location,
    async write({ index }, source: PartSource): Promise<StagedPart> {
      const file = await openFile(index);
      await context.step(`part-${index}-begin`);
      const staged = await file.fill(source.rows(), () => source.summary());
      await context.step(`part-${index}-end`);
      return staged;
    },
    async commit(parts): Promise<Receipt> {
      for (const { index, staged } of parts) {
        const name = `-${delivery.runId}-${index}-`;
        if ((staged as unknown as StagedFile).key.includes(name)) continue;
        throw new StagedLost(
          'A part was staged under a name that is not the plan’s. Sluice will deliver the interval again.',
        );
      }
      await context.step('before-commit');
      const session = await sessionOn(await prepareTable(catalog, needed));
      const receipt = await commitInterval(session, parts, stageNoRows);
      await context.step('after-commit');
      const warn = (sentence: string) => context.log('warning', `${sentence} The delivery itself is complete.`);
      const compacted = compact
        ? await compactInterval(session)
            .catch(throwAsOwn)
            .catch((error: unknown) => warn(whyNotMerged(error)))
        : undefined;
      const records = await context.artifacts.list().catch(() => undefined);
      const after = await catalog.load().catch(() => undefined);
      if (!records || !after) warn('The table could not be looked at again, so nothing was cleaned up.');
      else {
        await cleanUp(session, after, records).catch(() => warn('Staged files could not be removed.'));
        await expireSnapshots(session, after).catch(() => warn('Old snapshots could not be expired.'));
      }
      return { ...receipt, ...compacted };
    },
    async findReceipt() {
      const found = await findTable();
      const receipt = found?.held.present?.receipt;
      return receipt?.epoch === delivery.epoch && receipt.run_id === delivery.runId ? receipt : undefined;
    },
    async findPresentDelivery() {
      const receipt = (await findTable())?.held.present?.receipt;
      return receipt && { receipt, isKnown: await context.ownership.knowsRun(receipt.run_id) };
    },
    async verify(receipt, { deep }) {
      const found = await findTable();
      const expected = `${receipt.rows} rows of run ${receipt.run_id}`;
      if (!found) return [{ what: 'There is no table.', expected, found: 'none' }];
      return findDifferences(found.session, found.held, { receipt, deep });
    },
    async *search(_, search) {
      const found = await findTable();
      if (found) yield* searchRows(found.session.lake, found.held.files, delivery.columns, search);
    },
    async discard() {
      const records = await context.artifacts.list();
      const metadata = await catalog.load();
      return metadata ? cleanUp(await sessionOn(metadata), metadata, records) : [];
    },
    async deleteSuperseded(dueKeys, recordedKeys) {
      const metadata = await catalog.load();
      const [keys, recorded] = [await dueKeys(), await recordedKeys()];
      // Without the table, its files are no longer Sluice's to delete.
      if (!metadata) return { goneKeys: [...keys], isDenied: false };
      return deleteLeftFiles((await sessionOn(metadata)).lake, metadata, keys, recorded, context);
    },
    async close() {
      const lake = await opened?.catch(() => undefined);
      lake?.store.close();
      catalog.close();
    },
  });
}

/** The session, with faults of the storage that name the fields of this destination. */
function withOwnFaults(session: Required<Session>): Session {
  return {
    ...session,
    write: async (part, source) => session.write(part, source).catch(throwAsOwn),
    commit: async (parts) => session.commit(parts).catch(throwAsOwn),
    findReceipt: async () => session.findReceipt().catch(throwAsOwn),
    findPresentDelivery: async () => session.findPresentDelivery().catch(throwAsOwn),
    verify: async (receipt, options) => session.verify(receipt, options).catch(throwAsOwn),
    async *search(receipt, search) {
      try {
        yield* session.search(receipt, search);
      } catch (error) {
        throwAsOwn(error);
      }
    },
    discard: async () => session.discard().catch(throwAsOwn),
    deleteSuperseded: async (due, recorded) => session.deleteSuperseded(due, recorded).catch(throwAsOwn),
  };
}

async function findDifferences(
  { lake, delivery }: TableSession,
  { metadata, present, files, deletes }: TableState,
  { receipt, deep }: { receipt: Receipt; deep: boolean },
): Promise<Difference[]> {
  if (present && present.receipt.run_id !== receipt.run_id) {
    const what = 'The table holds another delivery of the data interval.';
    return [{ what, expected: `run ${receipt.run_id}`, found: `run ${present.receipt.run_id}` }];
  }
  const replaced = present?.snapshot ? replacedColumns(metadata, present.snapshot, delivery.columns) : [];
  if (replaced.length > 0) {
    const what = 'Columns were dropped and added again after the delivery, so readers see no values of it in them.';
    return [{ what, expected: 'columns added again: none', found: `columns added again: ${replaced.join(', ')}` }];
  }
  if (deletes.length > 0) {
    const what = 'Another writer has deleted rows of the data interval, or may have.';
    return [{ what, expected: 'delete files: 0', found: `delete files: ${deletes.length}` }];
  }
  const rows = files.reduce((sum, file) => sum + Number(file.record_count), 0);
  if (rows !== receipt.rows)
    return [{ what: 'The table holds another number of rows.', expected: String(receipt.rows), found: String(rows) }];
  const differences = await severalAtOnce(files, async ({ file_path, file_size_in_bytes }): Promise<Difference[]> => {
    const bytes = (await lake.store.head(lake.keyOf(file_path)))?.bytes;
    if (bytes === Number(file_size_in_bytes)) return [];
    const found = bytes === undefined ? 'none' : `${bytes} bytes`;
    return [{ what: 'A data file is missing or was changed.', expected: `${file_size_in_bytes} bytes`, found }];
  });
  if (!deep || differences.flat().length > 0) return differences.flat();
  try {
    const read = await readFiles(lake, files, delivery.columns);
    if (read.rows === receipt.rows && (read.digest ?? receipt.digest) === receipt.digest) return [];
    const expected = `${receipt.rows} rows, digest ${receipt.digest}`;
    return [{ what: 'The table holds other rows.', expected, found: `${read.rows} rows, digest ${read.digest}` }];
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return [{ what: 'A data file cannot be read.', expected: 'Parquet', found: error.message }];
  }
}
