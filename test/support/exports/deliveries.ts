/** Deliveries of one data interval as the engine makes them, but without the engine: epochs, recorded artifacts, rows as part sources. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Superseded } from '../../../src/platform/errors.ts';
import type { Destination, PartSource, Receipt, Session } from '../../../src/exports/destinations/contract.ts';
import type { EventParts, StagedPart } from '../../../src/exports/destinations/delivery.ts';
import type { Delivery } from '../../../src/exports/destinations/delivery.ts';
import type { Column } from '../../../src/conditions/rows/columns.ts';
import type { Artifacts, RecordedArtifact } from '../../../src/exports/destinations/artifacts.ts';
import type { DestinationEnvironment } from '../../../src/exports/destinations/environment.ts';
import { emptyFile, encodeFile } from '../../../src/exports/formats/file.ts';
import { RowsDigester } from '../../../src/conditions/rows/rows-digest.ts';
import { copyBinary } from '../database/copy-stream.ts';
import { copiedColumns, copyOf as copyOfTable, type Table } from '../database/tables.ts';

export type TestRow = { uuid: string; event: string; properties: Record<string, unknown> };
/** Rows of a part; a table, with columns of its own, for destinations of files. */
type PartRows = readonly TestRow[] | Table;

export const COLUMNS: readonly Column[] = [
  { name: 'uuid', type: 'uuid' },
  { name: 'event', type: 'text' },
  { name: 'properties', type: 'jsonb' },
];

/** Rows that differ from those of every other call. */
export function buildRows(count: number, event = 'viewed'): TestRow[] {
  return Array.from({ length: count }, (_, n) => ({ uuid: randomUUID(), event, properties: { n } }));
}

/** Uuids of the rows of parts, as a place reads them. */
export const uuidsOf = (parts: readonly (readonly { uuid: string }[])[]): string[] =>
  parts
    .flat()
    .map(({ uuid }) => uuid)
    .sort();

function copyOf(rows: readonly TestRow[]): Buffer {
  return copyBinary(
    rows.map(({ uuid, event, properties }) => [
      Buffer.from(uuid.replaceAll('-', ''), 'hex'),
      Buffer.from(event),
      Buffer.concat([Buffer.from([1]), Buffer.from(JSON.stringify(properties))]),
    ]),
  );
}

async function* blocksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1 << 20) yield bytes.subarray(at, at + (1 << 20));
}

/** The source, but with an error instead of its end. */
function withErrorAtEnd(source: PartSource, error: Error): PartSource {
  async function* broken(bytes: AsyncIterable<Uint8Array>) {
    for await (const block of bytes) yield block.subarray(0, block.length - 2);
    throw error;
  }
  return { ...source, file: () => broken(source.file()), rows: () => broken(source.rows()) };
}

const countRows = (part: PartRows) => ('columns' in part ? part.rows : part).length;

function sourceOf(part: PartRows, delivery: Delivery): PartSource {
  const copy = 'columns' in part ? copyOfTable(part) : copyOf(part);
  const file = encodeFile(blocksOf(copy), { ...delivery.file, columns: delivery.columns });
  const digester = new RowsDigester();
  for (const { uuid } of 'columns' in part ? [] : part) digester.add(Buffer.from(uuid.replaceAll('-', ''), 'hex'), 0);
  let summary = () => file.summary();
  return {
    file: () => file.bytes,
    rows() {
      summary = () => ({
        rows: countRows(part),
        digest: digester.digest(),
        contentBytes: copy.length,
        contentSha256: null,
      });
      return blocksOf(copy);
    },
    summary: () => summary(),
  };
}

/** Called at each step of a session: it returns (pass), never resolves (a kill), or waits (a frozen process). */
export type Steps = (name: string) => Promise<void>;
const passEveryStep: Steps = async () => {};

export type Place = {
  destination: Destination;
  config: unknown;
  environment: DestinationEnvironment;
  /** Encoding of the parts, as the engine plans it by the configuration; otherwise JSON lines in gzip. */
  file?: Partial<Delivery['file']>;
};

const hasEvents = ({ config }: Place) => String((config as { prefix?: string }).prefix).includes('{event}');

/** As a plan by event has them: two parts of one event, one of each other, and the last of the events without files of their own. */
function eventsOf(parts: number): EventParts[] {
  const events = Array.from({ length: parts }, (_, n) => (n === parts - 1 && n > 0 ? null : `Event/${n >> 1 && n}`));
  return [...Map.groupBy(events, (event) => event)].map(([event, { length }]) => ({ event, parts: length }));
}

/** @param hour after the first interval's start */
const instantOf = (hour: number) => `${new Date(Date.UTC(2015, 4, 17, 10 + hour)).toISOString().slice(0, -1)}000Z`;

export type TestInterval = ReturnType<typeof testInterval>;

/**
 * A data interval of one export at one place, with the rules of the ledger: only the newest epoch may record, and not after its delivery.
 * @param exportId of another such interval: the result is the same interval in another database, with epochs and known runs of its own,
 *   or another interval of the export, by its hour
 */
export function testInterval(
  place: Place,
  file: Partial<Delivery['file']> = place.file ?? {},
  exportId: string = randomUUID(),
  hour = 0,
) {
  const timeline = randomUUID();
  const known = new Set<string>();
  let lastReceipt: Receipt | undefined;
  let staged: (StagedPart & { epoch: number })[] = [];
  let epoch = 0;
  let delivered = false;
  let records: RecordedArtifact[] = [];
  const superseded = new Set<string>();
  const warnings: string[] = [];

  function artifactsOf(ownEpoch: number): Artifacts {
    return {
      async record(artifact, instead) {
        await sleep(0);
        const isGone = instead !== undefined && !records.some(({ id }) => id === instead);
        if (ownEpoch < epoch || delivered || isGone) throw new Superseded('a later epoch has taken the interval');
        records = records.filter(({ id }) => id !== instead);
        const id = randomUUID();
        records.push({ id, epoch: ownEpoch, artifact });
        return id;
      },
      async list() {
        await sleep(0);
        return records.filter((record) => record.epoch <= ownEpoch);
      },
      async listOfLaterEpochs() {
        await sleep(0);
        return records.filter((record) => record.epoch > ownEpoch);
      },
      async discard(ids) {
        await sleep(0);
        records = records.filter(({ id }) => !ids.includes(id));
      },
    };
  }

  /** A new plan: the next epoch of the interval, for rows in parts. */
  function plan(parts: readonly PartRows[]) {
    epoch++;
    delivered = false;
    const delivery: Delivery = {
      projectId: 7,
      exportId,
      runId: randomUUID(),
      model: 'events',
      start: instantOf(hour),
      end: instantOf(hour + 1),
      cutoff: `2026-01-01T00:00:00.${String(epoch).padStart(6, '0')}Z`,
      epoch,
      columns: parts[0] && 'columns' in parts[0] ? copiedColumns(parts[0]) : COLUMNS,
      merge: null,
      file: { format: 'JSONLines', compression: 'gzip', numbered: parts.length > 1, ...file },
      ...(hasEvents(place) && { events: eventsOf(parts.length) }),
    };
    known.add(delivery.runId);

    function throwIfSuperseded(): void {
      if (delivery.epoch < epoch) throw new Superseded('a later epoch has taken the interval');
    }

    async function withSession<T>(steps: Steps, work: (session: Session) => Promise<T>): Promise<T> {
      const session = await place.destination.open(
        place.config,
        delivery,
        {
          signal: new AbortController().signal,
          onRequest: () => {},
          log: (level, message) => void (level === 'warning' && warnings.push(message)),
          artifacts: artifactsOf(delivery.epoch),
          ownership: {
            getTimeline: async () => timeline,
            async knowsRun(runId) {
              throwIfSuperseded();
              return known.has(runId);
            },
            assertNotSuperseded: async () => throwIfSuperseded(),
            findLastReceipt: async () => lastReceipt,
            mayReplace: async () => false,
            listStagedParts: async (under) => staged.filter((part) => part.epoch === under),
          },
          recordSuperseded: async (keys) => keys.forEach((key) => superseded.add(key)),
          emptyFile: (kind) => emptyFile({ ...kind, columns: delivery.columns }),
          step: steps,
        },
        place.environment,
      );
      try {
        return await work(session);
      } finally {
        await session.close();
      }
    }
    return {
      delivery,
      /** Stages every part, each in a session of its own, as activities do. */
      async write(steps: Steps = passEveryStep): Promise<StagedPart[]> {
        const written: StagedPart[] = [];
        for (const [index, rows] of parts.entries()) {
          const part = { index, rows: countRows(rows) };
          const stagedPart = await withSession(steps, (session) => session.write(part, sourceOf(rows, delivery)));
          // State between activities is stored as JSON.
          written.push(JSON.parse(JSON.stringify(stagedPart)) as StagedPart);
        }
        staged.push(...written.map((stagedPart) => ({ ...stagedPart, epoch: delivery.epoch })));
        return written;
      },
      /** Stages the first part from a source that breaks. */
      writeBroken: (error: Error): Promise<StagedPart> =>
        withSession(passEveryStep, (session) =>
          session.write({ index: 0, rows: countRows(parts[0]!) }, withErrorAtEnd(sourceOf(parts[0]!, delivery), error)),
        ),
      commit: (parts: readonly StagedPart[], steps: Steps = passEveryStep): Promise<Receipt> =>
        withSession(steps, (session) => session.commit(parts)),
      delivered: () => withSession(passEveryStep, (session) => session.findReceipt()),
      present: () => withSession(passEveryStep, (session) => session.findPresentDelivery()),
      verify: (receipt: Receipt, deep = false) =>
        withSession(passEveryStep, async (session) => session.verify?.(receipt, { deep })),
      /** Rows with one of the texts in each file; undefined if the destination cannot be read. */
      search: (receipt: Receipt, texts: readonly string[], skip = 0) =>
        withSession(passEveryStep, async (session) => {
          const found = session.search?.(receipt, { texts, skip, rows: () => blocksOf(copyOf([])) });
          return found && Array.fromAsync(found);
        }),
      discard: () => withSession(passEveryStep, (session) => session.discard()),
      /** @param recorded those that the run recorded; the others are not due yet */
      deleteSuperseded: (keys: Iterable<string>, recorded: Iterable<string> = keys) =>
        withSession(passEveryStep, async (session) =>
          session.deleteSuperseded?.(
            async () => [...keys],
            async () => [...recorded],
          ),
        ),
    };
  }

  return {
    exportId,
    plan,
    /** The deliveries that a listing of the place shows. */
    deliveries: () =>
      Array.fromAsync(
        place.destination.listDeliveries(
          place.config,
          { projectId: 7, model: 'events', exportId },
          place.environment,
          new AbortController().signal,
        ),
      ),
    /** Writes and commits a new plan, and closes the ledger row, as a run does. */
    async deliver(parts: readonly PartRows[]) {
      const run = plan(parts);
      const receipt = await run.commit(await run.write());
      delivered = true;
      lastReceipt = receipt;
      return { run, receipt };
    },
    /** Marks the ledger row as delivered by the newest epoch. */
    markDelivered() {
      delivered = true;
    },
    recorded: () => records.length,
    /** Warnings in the runs' logs. */
    warnings: () => warnings,
    /** Keys recorded as superseded. */
    superseded: () => superseded,
    /** The same interval in a database that was restored to a time before its first delivery. */
    restored: () => testInterval(place, file, exportId, hour),
    /** Marks the run as known, as if an operator had accepted that its delivery may be replaced. */
    accept(runId: string) {
      known.add(runId);
    },
    /** Deletes the receipt of an interrupted commit, which databases of earlier versions do not have. */
    forgetReceipt() {
      lastReceipt = undefined;
    },
    forgetStaged() {
      staged = [];
    },
  };
}

export type Freezer = { steps: Steps; reached: Promise<void>; thaw(): void };

/** Stops a session at these steps until it is thawed; never thawing it is a kill. */
export function freezeAt(...stops: string[]): Freezer {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    thaw: gate.resolve,
    async steps(name) {
      if (!stops.includes(name)) return;
      reached.resolve();
      await gate.promise;
    },
  };
}

/** Runs the work until it reaches the step, and never lets it continue, like a kill. If the work skips the step, it is not stopped. */
export async function stopAt(step: string, work: (steps: Steps) => Promise<unknown>): Promise<void> {
  const frozen = freezeAt(step);
  await Promise.race([frozen.reached, work(frozen.steps)]);
}
